/**
 * Approvals of drafts by people. Only an owner who signed in on a page, or who tapped in a channel of their own, can
 * approve: never a key, a grant or a link, whatever its role (decision 162).
 */
import { isBrowserSession, isVerifiedOwner, type Principal } from "../../auth/principal.ts";
import { refuseNoPerson, refuseUnverifiedSession } from "../../auth/person-required.ts";
import type { Approval } from "../../contracts/sources.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { approveDraft, requestDraftApproval, undoApproval } from "../../mess/sources/draft.ts";
import { refuseDisconnected } from "../../mess/sources/refusals.ts";
import { getHouseholdStub } from "../../stubs.ts";
import type { SourceContext } from "../source-context.ts";
import type { StoredDraft } from "../tables/draft-table.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { refuseCannotSend } from "./add-draft.ts";
import { saveDraft } from "./save-draft.ts";

/** Refused for everybody but an owner in a verified browser session. */
export function checkPerson(caller: Principal): Outcome<true> {
  if (isVerifiedOwner(caller)) return ok(true);
  return caller.role === "owner" && isBrowserSession(caller.credential)
    ? refuseUnverifiedSession()
    : refuseNoPerson();
}

/** Approves the revision with the digest, and adds the job that sends it. @param by the owner */
export function approve(
  store: SourceStore,
  draft: StoredDraft,
  {
    by,
    digest,
    sendAt,
    route,
  }: { by: string; sendAt?: number | undefined; route: string | undefined } & Pick<
    Approval,
    "digest"
  >,
  now: number,
): Outcome<StoredDraft> {
  const refused = checkCanSend(store);
  if (!refused.ok) return refused;
  const approved = approveDraft(draft.life, { by, digest, sendAt, route }, now);
  if (!approved.ok) return approved;
  putSendJob(store, draft.seq, approved.value.approval!.send_at);
  return ok(saveDraft(store, draft, approved.value, now));
}

/** One job for each draft: a new approval moves it. */
export const putSendJob = ({ jobs }: SourceStore, draft: number, due: number): void =>
  jobs.put("send", `send ${draft}`, { draft }, due);

export const putAskJob = ({ jobs }: SourceStore, { seq, life }: StoredDraft, now: number): void =>
  jobs.add("askApproval", `ask ${seq}`, { draft: seq, digest: life.digest }, now);

/** The settings under which an approval is given now; undefined where they are incomplete. */
export async function readRoute({ store, env }: SourceContext): Promise<string | undefined> {
  const record = store.read();
  if (!record) return undefined;
  const { sources } = getHouseholdStub(env, record.household);
  return (await sources.openSettings(record.name))?.routes[0];
}

export function undo(store: SourceStore, draft: StoredDraft, now: number): Outcome<StoredDraft> {
  const undone = undoApproval(draft.life, now);
  return undone.ok ? ok(saveDraft(store, draft, undone.value, now)) : undone;
}

/** Adds the job that asks an owner, once for each revision. */
export function requestApproval(
  store: SourceStore,
  draft: StoredDraft,
  now: number,
): Outcome<StoredDraft> {
  const refused = checkCanSend(store);
  if (!refused.ok) return refused;
  const requested = requestDraftApproval(draft.life, now);
  if (!requested.ok) return requested;
  if (requested.value !== draft.life) putAskJob(store, draft, now);
  return ok(saveDraft(store, draft, requested.value, now));
}

function checkCanSend(store: SourceStore): Outcome<true> {
  const { name, status, cannot_send: reason } = store.get();
  if (reason !== undefined) return refuseCannotSend(name, reason);
  return status === "connected" ? ok(true) : refuseDisconnected(name);
}
