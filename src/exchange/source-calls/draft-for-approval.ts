/** Writes a draft and asks for its approval in one call, which is what `reply` in the message tree does. */
import type { Principal } from "../../auth/principal.ts";
import type { DraftView, NewDraft } from "../../contracts/sources.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { createDraft, discardDraft, requestDraftApproval } from "./drafts.ts";

/** Discards the draft if nobody can be asked, for instance because the source is disconnected. */
export async function writeDraftForApproval(
  env: ExchangeBindings,
  principal: Principal,
  source: string,
  draft: NewDraft,
): Promise<Outcome<DraftView>> {
  const written = await createDraft(env, principal, source, draft);
  if (!written.ok) return written;
  const { id, state } = written.value;
  // A repeated call: the draft may have been approved or sent in the meantime.
  if (state !== "draft" && state !== "discarded") return written;
  const requested = await requestDraftApproval(env, principal, source, id);
  if (!requested.ok && state === "draft") await discardDraft(env, principal, source, id);
  return requested;
}
