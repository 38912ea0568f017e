/**
 * Opens the requests that interrupt an owner or ask for an approval, once each. Their content is fixed before the first
 * attempt, so that a repeated one opens the same request.
 */
import type { SourceMessageSummary } from "../../contracts/sources.ts";
import { log } from "../../log.ts";
import { defined } from "../../mess/defined.ts";
import { ok } from "../../mess/result.ts";
import { isOpenDraft, requestDraftApproval } from "../../mess/sources/draft.ts";
import { computeDraftDigest } from "../../mess/sources/draft-content.ts";
import {
  buildApprovalRequest,
  buildInterruption,
  type OwnerRequest,
} from "../../mess/sources/owner-request.ts";
import type { SourceRequestOrigin } from "../../mess/sources/request-origin.ts";
import type { JobOutcome } from "../../object/stored-jobs.ts";
import { showSummary } from "../messages/show-message.ts";
import type { SourceContext } from "../source-context.ts";
import type { SourceJobs } from "../source-jobs.ts";
import type { StoredDraft } from "../tables/draft-table.ts";
import type { OwnerRequestRow } from "../tables/owner-request-table.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { saveDraft } from "./save-draft.ts";
import { isOutdated, withdrawRequest } from "./withdraw-requests.ts";

type PlannedRequest = Pick<OwnerRequestRow, "key" | "message" | "draft" | "revision">;

/** Asks for the approval of the revision with the digest; does nothing where the draft has changed since. */
export function askApproval(
  context: SourceContext,
  { draft: seq, digest }: SourceJobs["askApproval"],
): Promise<JobOutcome> {
  return ask(context, (store) => {
    const draft = store.drafts.get(seq);
    if (draft?.life.state !== "approval_requested" || draft.life.digest !== digest)
      return undefined;
    const asked = store.requests.listOfDraft(seq);
    const { revision } = draft.life;
    const open = asked.find((one) => one.ended === 0 && one.revision === revision);
    // An owner who declined can be asked again.
    const key = `approve ${draft.id} ${revision} ${asked.length}`;
    return open ?? { key, message: draft.message, draft: seq, revision };
  });
}

/** Shows an owner an urgent message, together with its draft if nobody has approved or discarded it. */
export function interrupt(
  context: SourceContext,
  { seq }: SourceJobs["interrupt"],
): Promise<JobOutcome> {
  return ask(context, (store, now) => {
    const message = store.messages.get(seq);
    if (!message) return undefined;
    const key = `interrupt ${message.id}`;
    const draft = message.draft === null ? undefined : store.drafts.find(message.draft);
    if (store.requests.find(key) || !draft || !isOpenDraft(draft.life))
      return { key, message: seq, draft: null, revision: null };
    const requested = requestDraftApproval(draft.life, now);
    if (requested.ok) saveDraft(store, draft, requested.value, now);
    return { key, message: seq, draft: draft.seq, revision: draft.life.revision };
  });
}

/** @param plan runs in a transaction; undefined where there is nothing to ask */
async function ask(
  context: SourceContext,
  plan: (store: SourceStore, now: number) => PlannedRequest | undefined,
): Promise<JobOutcome> {
  const reserved = context.change((store, now) => {
    const planned = plan(store, now);
    if (planned && !store.requests.find(planned.key)) store.requests.insert(planned);
    return ok(planned && store.requests.find(planned.key));
  });
  if (!reserved.ok || !reserved.value) return "done";
  const row = reserved.value;
  const built = buildRequest(context.store, row);
  if (row.ref !== null || !built) return "done";
  const { household, name: source } = context.store.get();
  const { message, origin } = built;
  const posted = await context.postForSource(household, message, { key: row.key, source, origin });
  if (!posted.ok) {
    const { code, message: why, retry_after } = posted.error;
    log("source_request_refused", { household, id: source, code });
    if (code === "internal" || retry_after !== undefined) return "retry";
    // The owners see it in the source's status; the next call for an approval asks again.
    context.change((store, now) =>
      ok(store.problems.set("asking", `The owners could not be asked: ${why}`, now)),
    );
    return "done";
  }
  context.change((store, now) => {
    store.requests.setRef(row.key, posted.value);
    store.problems.clear("asking");
    const stored = store.requests.find(row.key);
    // The draft was changed while the request was on its way.
    if (stored && isOutdated(store, stored)) withdrawRequest(store, stored, now);
    return ok(undefined);
  });
  return "done";
}

/** Undefined where its message or draft was deleted. */
function buildRequest(
  store: SourceStore,
  { key, message: seq, draft: draftSeq, revision }: OwnerRequestRow,
): { message: OwnerRequest["message"]; origin: SourceRequestOrigin } | undefined {
  const listed = seq === null ? undefined : store.messages.get(seq);
  const message = listed && showSummary(store.get(), listed);
  const draft = draftSeq === null ? undefined : store.drafts.get(draftSeq);
  if ((seq !== null && !message) || (draftSeq !== null && !draft)) return undefined;
  const shown = draft && { draft, ...store.drafts.getRevision(draft.seq, revision!) };
  const request =
    key.startsWith("interrupt ") && message
      ? buildInterruption(message, shown?.content)
      : shown && buildApprovalRequest(shown.content, message, shown.author, draft?.life.note);
  if (!request) return undefined;
  const origin = {
    source: store.get().name,
    ...defined({ message: message?.id }),
    ...(draft ? buildDraftOrigin(store, draft, revision!, message, request.shows) : {}),
  };
  return { message: request.message, origin };
}

/** A draft that is not shown in full must be read and approved on the page: its digest is left out. */
function buildDraftOrigin(
  store: SourceStore,
  { seq, id }: StoredDraft,
  revision: number,
  message: SourceMessageSummary | undefined,
  shows: OwnerRequest["shows"],
): Pick<SourceRequestOrigin, "draft" | "digest"> {
  if (shows !== "all") return { draft: id };
  const { content } = store.drafts.getRevision(seq, revision);
  const about = { source: store.get().name, draft: id, message: message?.id, revision };
  const digest = computeDraftDigest(content, about);
  return { draft: id, digest };
}
