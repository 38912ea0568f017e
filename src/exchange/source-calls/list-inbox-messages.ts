/** The messages and drafts of all sources together, as an owner's inbox shows them. */
import type { Principal } from "../../auth/principal.ts";
import type { SourceListing } from "../../contracts/household-sources.ts";
import type {
  DraftView,
  MessageQuery,
  SourceMessagePage,
  SourceMessageSummary,
} from "../../contracts/sources.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { type DraftState, SOURCE_LIMITS } from "../../mess/sources/vocabulary.ts";
import { getSourceStub } from "../../stubs.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { callSources, withSource } from "./with-source.ts";

/** States of drafts that an owner has something to do with: to approve, to take back, or to try again. */
const WAITING_STATES: readonly DraftState[] = ["draft", "approval_requested", "approved", "failed"];

export interface InboxQuery extends Omit<MessageQuery, "cursor"> {
  source?: string;
  /** `next` of the previous page: only these sources have more, each after its cursor. */
  after?: Readonly<Record<string, string>>;
}

export interface InboxMessages {
  /** Newest first. A source in `next` may have messages that are newer than the last ones of other sources. */
  messages: SourceMessageSummary[];
  /** The cursor of each source that has more messages. */
  next: Record<string, string>;
}

/** One page of every source that the caller may read. */
export const listInboxMessages = (
  env: ExchangeBindings,
  principal: Principal,
  { source, after, ...query }: InboxQuery,
): Promise<Outcome<InboxMessages>> =>
  callSources(env, principal, async (sources) => {
    const listed =
      source === undefined
        ? await sources.list(principal)
        : await sources.authorize(principal, source, "read");
    if (!listed.ok) return listed;
    const readable: SourceListing[] = Array.isArray(listed.value) ? listed.value : [listed.value];
    const names = readable.flatMap(({ name }) => (!after || name in after ? [name] : []));
    const pages = await Promise.all(
      names.map(async (name): Promise<[string, Outcome<SourceMessagePage>]> => {
        const { messages } = getSourceStub(env, principal.household, name);
        const cursor = after?.[name];
        return [name, await messages.list({ ...query, ...(cursor ? { cursor } : {}) })];
      }),
    );
    const found: InboxMessages = { messages: [], next: {} };
    for (const [name, page] of pages) {
      // The object of a new source does not know its record yet.
      if (!page.ok && page.error.code === "not_found") continue;
      if (!page.ok) return page;
      found.messages.push(...page.value.messages);
      if (page.value.next_cursor !== undefined) found.next[name] = page.value.next_cursor;
    }
    found.messages.sort((one, other) => Date.parse(other.received) - Date.parse(one.received));
    return ok(found);
  });

/** The drafts that wait for an owner, or for the time at which they are sent, the newest first. */
export const listWaitingDrafts = (
  env: ExchangeBindings,
  principal: Principal,
): Promise<Outcome<DraftView[]>> =>
  callSources(env, principal, async (sources) => {
    const listed = await sources.list(principal);
    if (!listed.ok) return listed;
    const pages = await Promise.all(
      // Also of a source that cannot send any longer: its owner must see what is left there.
      listed.value.flatMap(({ name }) => {
        const { outbox } = getSourceStub(env, principal.household, name);
        const limit = SOURCE_LIMITS.pageMessages;
        return WAITING_STATES.map((state) => outbox.list({ state, limit }));
      }),
    );
    const failed = pages.find((page) => !page.ok && page.error.code !== "not_found");
    if (failed && !failed.ok) return failed;
    const drafts = pages.flatMap((page) => (page.ok ? page.value.drafts : []));
    return ok(drafts.toSorted((one, other) => Date.parse(other.updated) - Date.parse(one.updated)));
  });

/** A message with its drafts, the oldest first. */
export const readMessageWithDrafts = (
  env: ExchangeBindings,
  principal: Principal,
  source: string,
  id: string,
) =>
  withSource(env, principal, source, "read", async ({ messages, outbox }, { can_send }) => {
    const message = await messages.read(id);
    if (!message.ok) return message;
    const drafts = await Promise.all(message.value.drafts.map((one) => outbox.read(one)));
    return ok({
      message: message.value,
      drafts: drafts.flatMap((one) => (one.ok ? [one.value] : [])),
      can_send,
    });
  });
