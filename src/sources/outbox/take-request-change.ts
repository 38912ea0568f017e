/**
 * Applies an owner's answer to the request that a message or draft has opened: once, and only to the revision that the
 * owner was shown. Without an identified person nothing is approved.
 */
import type { SourceRequestChange } from "../../contracts/sources.ts";
import { log } from "../../log.ts";
import { ok } from "../../mess/result.ts";
import { takeBackRequest } from "../../mess/sources/draft.ts";
import { isFinal } from "../../mess/status.ts";
import type { SourceContext } from "../source-context.ts";
import type { StoredDraft } from "../tables/draft-table.ts";
import type { OwnerRequestRow } from "../tables/owner-request-table.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { approve, readRoute } from "./approvals.ts";
import { saveDraft } from "./save-draft.ts";

export async function takeRequestChange(
  context: SourceContext,
  change: SourceRequestChange,
): Promise<void> {
  if (!isFinal(change.status)) return;
  const route = isApproval(change) ? await readRoute(context) : undefined;
  context.change((store, now) => {
    const request = findRequest(store, change);
    if (!request || request.ended === 1) return ok(undefined);
    if (request.ref === null) store.requests.setRef(request.key, change.ref);
    store.requests.end(request.key);
    const message = change.message === undefined ? undefined : store.messages.find(change.message);
    if (message && change.person !== undefined) store.changes.setSeen(message.seq, true);
    const draft = request.draft === null ? undefined : store.drafts.get(request.draft);
    if (draft && draft.id === change.draft) decide(store, draft, { ...change, route }, now);
    return ok(undefined);
  });
}

/** Also one whose ref was not stored before the object stopped. */
function findRequest(
  store: SourceStore,
  { ref, draft: id, message: messageId }: SourceRequestChange,
): OwnerRequestRow | undefined {
  const draft = id === undefined ? undefined : store.drafts.find(id);
  const message = messageId === undefined ? undefined : store.messages.find(messageId);
  const requests = draft
    ? store.requests.listOfDraft(draft.seq)
    : message
      ? store.requests.listOfMessage(message.seq)
      : [];
  return (
    requests.find((one) => one.ref === ref) ??
    requests.find((one) => one.ref === null && one.ended === 0)
  );
}

const isApproval = (
  change: SourceRequestChange,
): change is SourceRequestChange & Required<Pick<SourceRequestChange, "person" | "digest">> =>
  change.status === "completed" && change.person !== undefined && change.digest !== undefined;

function decide(
  store: SourceStore,
  draft: StoredDraft,
  change: SourceRequestChange & { route: string | undefined },
  now: number,
): void {
  const { digest, route } = change;
  if (isApproval(change)) {
    const approved = approve(
      store,
      draft,
      { by: change.person, digest: change.digest, route },
      now,
    );
    if (!approved.ok) log("approval_refused", { code: approved.error.code });
    return;
  }
  // Without a digest the owner was only told where to read the draft.
  if (digest === draft.life.digest) saveDraft(store, draft, takeBackRequest(draft.life, now), now);
}
