/** Resolves the link of a page or form: its token, or the code of its short address. */
import type { WorkerSecret } from "../../../auth/worker-secret.ts";
import { getThreadStub } from "../../../stubs.ts";
import * as z from "zod";
import { refuseInactiveLink } from "../../../auth/links/inactive-link.ts";
import { toLinkPrincipal, type LinkInput, readLink } from "../../../auth/links/links.ts";
import { readShortCode } from "../../../auth/links/short-links.ts";
import { checkNotSuspended } from "../../../auth/suspension.ts";
import { refuseUnauthenticated } from "../../../auth/unauthenticated.ts";
import { getConfig } from "../../../config.ts";
import type { Outcome } from "../../../mess/errors.ts";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { ok } from "../../../mess/result.ts";

const textSchema = (maxChars: number) => boundedTextSchema(maxChars).exactOptional();

/** How the link was sent to us. `ref` is the thread that the page expects. */
export const linkInputSchema = z.strictObject({
  token: textSchema(LIMITS.tokenChars),
  code: textSchema(256),
  ref: textSchema(260),
});

export type LinkAddress = z.output<typeof linkInputSchema>;

/** A link that this exchange made, active or not. */
export interface FoundLink extends LinkInput {
  expired: boolean;
}

/** Resolves an active or inactive link. Any forged link gets the same refusal, without a call to a Durable Object. */
export async function findLink(env: Env, address: LinkAddress): Promise<Outcome<FoundLink>> {
  const { secret } = getConfig(env);
  const found =
    address.token === undefined
      ? await findCode(env, secret, address.code ?? "")
      : await readLink(secret, address.token);
  if (!found || (address.ref ?? found.ref) !== found.ref) return refuseUnauthenticated();
  const active = await checkNotSuspended(env, found.household);
  return active.ok ? ok(found) : active;
}

async function findCode(
  env: Env,
  secret: WorkerSecret,
  text: string,
): Promise<FoundLink | undefined> {
  const code = await readShortCode(secret, text);
  if (!code) return undefined;
  const { household, ref, number } = code;
  const link = await getThreadStub(env, household, ref).findLinkByNumber(number);
  return link
    ? { ...link, household, ref, expired: link.expires * 1_000 <= Date.now() }
    : undefined;
}

/** Returns the link if it is active; else a refusal with the reason why it is inactive. */
export async function openLink(env: Env, address: LinkAddress): Promise<Outcome<LinkInput>> {
  const found = await findLink(env, address);
  if (!found.ok) return found;
  if (found.value.expired) return refuseInactiveLink("expired");
  const { household, ref } = found.value;
  const may = await getThreadStub(env, household, ref).checkUpload(toLinkPrincipal(found.value));
  return may.ok ? found : may;
}
