/** Ends requests to owners whose draft was changed, approved elsewhere or deleted: an old button must not mislead. */
import type { SourceContext } from "../source-context.ts";
import type { SourceJobs } from "../source-jobs.ts";
import type { JobOutcome } from "../../object/stored-jobs.ts";
import type { OwnerRequestRow } from "../tables/owner-request-table.ts";
import type { SourceStore } from "../tables/source-store.ts";

/** True where the answer to the request could change nothing any longer. */
export function isOutdated(store: SourceStore, { draft: seq, revision }: OwnerRequestRow): boolean {
  if (seq === null) return false;
  const draft = store.drafts.get(seq);
  return draft?.life.state !== "approval_requested" || draft.life.revision !== revision;
}

/** Withdraws the open requests about the draft that are outdated. Runs inside the caller's transaction. */
export function withdrawOutdated(store: SourceStore, draft: number, now: number): void {
  for (const request of store.requests.listOfDraft(draft))
    if (isOutdated(store, request)) withdrawRequest(store, request, now);
}

/** One that is not known to be open is withdrawn when it is. */
export function withdrawRequest(
  { jobs, requests }: SourceStore,
  { key, ref, ended }: OwnerRequestRow,
  now: number,
): void {
  if (ended === 1 || ref === null) return;
  requests.end(key);
  jobs.add("withdraw", `withdraw ${ref}`, { ref }, now);
}

const REASON = "The draft was changed, sent or discarded.";

/** Refused where it has ended already, which is as good. */
export async function withdraw(
  { store, postForSource }: SourceContext,
  { ref }: SourceJobs["withdraw"],
): Promise<JobOutcome> {
  const { household, name: source } = store.get();
  const message = { re: ref, blocks: [{ type: "cancel" as const, body: { reason: REASON } }] };
  const posted = await postForSource(household, message, { key: `withdraw ${ref}`, source });
  return !posted.ok && posted.error.retry_after !== undefined ? "retry" : "done";
}
