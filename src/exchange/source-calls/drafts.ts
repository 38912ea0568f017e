/** The calls about drafts of one source. The tree, the tools, the routes and the pages share them. */
import { allowsAccess } from "../../auth/message-paths.ts";
import type { Principal } from "../../auth/principal.ts";
import type {
  Approval,
  DraftChange,
  DraftView,
  NewDraft,
  OutboxRpc,
} from "../../contracts/sources.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { refuseDraftNotFound } from "../../mess/sources/refusals.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { withSource } from "./with-source.ts";

export const createDraft = (
  env: ExchangeBindings,
  principal: Principal,
  source: string,
  draft: NewDraft,
): Promise<Outcome<DraftView>> =>
  withSource(env, principal, source, "draft", async ({ outbox }) => {
    // A draft shows what it takes from its message, so its author must be allowed to read that.
    const readable =
      draft.message === undefined
        ? ok(undefined)
        : await withSource(env, principal, source, "read", async () => ok(undefined));
    return readable.ok ? await outbox.create(principal, draft) : readable;
  });

/** A draft about a message may quote it, so only those who may read the source see it. The household has checked the rest. */
const maySee = ({ paths }: Principal, source: string, { about_message }: DraftView): boolean =>
  about_message === undefined || paths === undefined || allowsAccess(paths, source, "read");

/** Leaves out drafts that the caller may not see, so a page can be shorter than the limit. */
export const listDrafts = (
  env: ExchangeBindings,
  principal: Principal,
  source: string,
  query: Parameters<OutboxRpc["list"]>[0],
): ReturnType<OutboxRpc["list"]> =>
  withSource(env, principal, source, "draft", async ({ outbox }) => {
    const page = await outbox.list(query);
    if (!page.ok) return page;
    const drafts = page.value.drafts.filter((draft) => maySee(principal, source, draft));
    return ok({ ...page.value, drafts });
  });

/** Runs `work` if the caller may see the draft. */
const withDraft = (
  env: ExchangeBindings,
  principal: Principal,
  source: string,
  id: string,
  work: (outbox: OutboxRpc, draft: DraftView) => Promise<Outcome<DraftView>>,
): Promise<Outcome<DraftView>> =>
  withSource(env, principal, source, "draft", async ({ outbox }) => {
    const draft = await outbox.read(id);
    if (!draft.ok) return draft;
    return maySee(principal, source, draft.value)
      ? await work(outbox, draft.value)
      : refuseDraftNotFound();
  });

export const readDraft = (
  env: ExchangeBindings,
  principal: Principal,
  source: string,
  id: string,
): Promise<Outcome<DraftView>> =>
  withDraft(env, principal, source, id, (_outbox, draft) => Promise.resolve(ok(draft)));

export const reviseDraft = (
  env: ExchangeBindings,
  principal: Principal,
  source: string,
  id: string,
  change: DraftChange,
): Promise<Outcome<DraftView>> =>
  withDraft(env, principal, source, id, (outbox) => outbox.revise(principal, id, change));

export const discardDraft = (
  env: ExchangeBindings,
  principal: Principal,
  source: string,
  id: string,
): Promise<Outcome<DraftView>> =>
  withDraft(env, principal, source, id, (outbox) => outbox.discard(principal, id));

/** Asks an owner through their channels. It is what `send` of a key, an agent or the tree does. */
export const requestDraftApproval = (
  env: ExchangeBindings,
  principal: Principal,
  source: string,
  id: string,
): Promise<Outcome<DraftView>> =>
  withDraft(env, principal, source, id, (outbox) => outbox.requestApproval(principal, id));

/** Refused with `person_required` unless the principal is an owner in a browser session. */
export const approveDraft = (
  env: ExchangeBindings,
  principal: Principal,
  source: string,
  approval: Approval,
): Promise<Outcome<DraftView>> =>
  withSource(env, principal, source, "draft", ({ outbox }) => outbox.approve(principal, approval));

/** Takes an approval back, under the same condition. */
export const undoApproval = (
  env: ExchangeBindings,
  principal: Principal,
  source: string,
  id: string,
): Promise<Outcome<DraftView>> =>
  withSource(env, principal, source, "draft", ({ outbox }) => outbox.undo(principal, id));
