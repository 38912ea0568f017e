/** Finds a file that the caller may read: of a thread that it sees, or of one to which such a thread refers. */
import type { Principal } from "../../auth/principal.ts";
import type { Attachment } from "../../mess/envelope.ts";
import { defined } from "../../mess/defined.ts";
import { findLinkedUpload } from "../../attachments/linked-uploads.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { InlineFile } from "../../mess/messe-af/resource-documents.ts";
import { findUploadDay } from "../../mess/names.ts";
import { ok } from "../../mess/result.ts";
import { refuseMissingUpload } from "./adopt-uploads.ts";
import { getHouseholdStub, getThreadStub } from "../../stubs.ts";
import { withThread, type ExchangeBindings } from "../with-thread.ts";

export interface FoundFile {
  ref: string;
  file: Attachment | InlineFile;
}

export async function findFile(
  env: ExchangeBindings,
  principal: Principal,
  target: string,
  name: string,
): Promise<Outcome<FoundFile>> {
  if (findUploadDay(target) !== undefined) {
    const blob = await findLinkedUpload(env.BLOBS, principal, target);
    if (!blob) return refuseMissingUpload();
    const { key, mime, size, original } = blob;
    const file = { name, serial: 0, mime, size, key, ...defined({ original }) };
    return ok({ ref: target, file });
  }
  const own = await withThread(env, principal, target, undefined, async ({ stub, ref }) => {
    const found = await stub.findAttachment(principal, name);
    return found.ok ? ok({ ref, file: found.value }) : found;
  });
  if (own.ok || own.error.code !== "not_found") return own;
  const { household, scope } = principal;
  const referrers = scope
    ? [scope.ref]
    : await getHouseholdStub(env, household).threads.findReferrers(target);
  for (const referrer of referrers) {
    const stub = getThreadStub(env, household, referrer);
    const found = await stub.findContextFile(principal, target, name);
    if (found.ok) return ok({ ref: target, file: found.value });
  }
  return own;
}
