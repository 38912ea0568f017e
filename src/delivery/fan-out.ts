/**
 * The deliveries that a change of a thread causes: its notices, news for the members concerned, and edits of messages
 * that were sent before. Members get no news of their own actions. Pure.
 */
import { defined } from "../mess/defined.ts";
import type { HistoryEntry } from "../mess/envelope.ts";
import { isFinal, STATUSES } from "../mess/status.ts";
import type { Change } from "../mess/thread/thread-change.ts";
import { isMemberId } from "../mess/groups/ids.ts";
import { EXCHANGE } from "../mess/thread/policy.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import { refreshAlerts } from "./refresh-alerts.ts";
import type { ChannelFeatures, ChannelKind } from "../channels/channel.ts";
import {
  type NoticeEvent,
  type NewDelivery,
  ALL_OWNERS,
  type EarlierDelivery,
  ALREADY_PENDING_REASON,
} from "./delivery.ts";
import { extractEvents } from "./message-excerpts.ts";
import { buildRequestorEvent } from "./requestor-notices.ts";

/** The features of a channel; undefined for one that this deployment does not offer. */
export type GetChannelFeatures = (channel: ChannelKind) => ChannelFeatures | undefined;

/** Messages of one member in one channel that are edited; the newest count. */
const MAX_EDITED_MESSAGES = 4;

/**
 * @param before the state before the change; undefined for a new thread
 * @param sent earlier deliveries of the thread, oldest first
 */
export function fanOut(
  before: ThreadState | undefined,
  change: Change,
  sent: readonly EarlierDelivery[],
  getFeatures: GetChannelFeatures,
): NewDelivery[] {
  const made = change.notices.flatMap((notice) =>
    buildNoticeDeliveries(notice, change.state, sent),
  );
  if (before === undefined) return made;
  const { state } = change;
  const newsDeliveries = buildReportDeliveries(before, change, sent);
  if (!newsDeliveries.some(({ executor }) => executor === state.requestor))
    newsDeliveries.push(...buildRequestorDeliveries(change));
  if (sent.length === 0) return [...made, ...newsDeliveries];
  const notified = new Set(newsDeliveries.map(({ executor }) => executor));
  const event = findLastEvent(change.history) ?? findOfferComment(change);
  if (event === undefined) return [...made, ...newsDeliveries];
  const updates = listMembers(sent)
    .filter((executor) => !hasLeft(before, state, executor))
    .flatMap((executor) =>
      buildUpdateDeliveries(
        executor,
        // A member that gets a message about it needs no update as well.
        event.by === executor || notified.has(executor),
        event,
        sent,
        getFeatures,
      ),
    );
  return [
    ...made,
    ...newsDeliveries,
    ...updates,
    ...refreshAlerts(before, state, sent, getFeatures),
  ];
}

const ANY_CHANNEL = { channel: null, isChannelFixed: false, handle: null } as const;

function buildNoticeDeliveries(
  { kind, to, note, again, about }: Change["notices"][number],
  { status, requestor_reached }: ThreadState,
  sent: readonly EarlierDelivery[],
): NewDelivery[] {
  if (kind === "news" && about !== "new_link" && !requestor_reached) return [];
  const eventKind = about ?? (isFinal(status) ? "ended" : "note");
  const event: NoticeEvent | null =
    note === undefined ? null : { what: eventKind, text: note, ...(again ? { again } : {}) };
  const members = kind === "alert" ? [ALL_OWNERS] : to;
  return members.map((executor) => {
    const isPending = sent.some(
      (one) => one.executor === executor && one.state === "due" && isRequest(one),
    );
    return {
      ...ANY_CHANNEL,
      executor,
      kind,
      event,
      ...(kind !== "alert" && kind !== "news" && isPending
        ? { dropReason: ALREADY_PENDING_REASON }
        : {}),
    };
  });
}

const isRequest = ({ kind }: Pick<EarlierDelivery, "kind">): boolean =>
  kind === "offer" || kind === "reminder";

const listMembers = (sent: readonly EarlierDelivery[]): string[] => [
  ...new Set(sent.map(({ executor }) => executor).filter((executor) => executor !== ALL_OWNERS)),
];

/** The member declined earlier and is no longer a candidate. */
const hasLeft = (before: ThreadState, after: ThreadState, executor: string): boolean =>
  [before, after].every(
    (state) =>
      state.executor !== executor &&
      state.candidates.some(({ id, declined }) => id === executor && declined),
  );

/** News for the thread's holder, its former holder, and members with a question: others' messages, system actions. */
function buildReportDeliveries(
  before: ThreadState,
  change: Change,
  sent: readonly EarlierDelivery[],
): NewDelivery[] {
  const concerned = [before.executor, before.soft_claim, change.state.executor];
  const loss = change.history.find(
    ({ by, action }) => by === EXCHANGE && REPORTED_ACTIONS.includes(action),
  );
  // An agent of a pool cannot open the thread, so its message has the whole text.
  const listEvents = (executor: string) => [
    ...change.documents.flatMap(({ document }) => extractEvents(document, isMemberId(executor))),
    ...(loss ? [toEvent(loss)] : []),
  ];
  return listMembers(sent)
    .filter((executor) => concerned.includes(executor))
    .flatMap((executor) =>
      listEvents(executor)
        .filter(({ by }) => by !== executor)
        .map((event) => ({ ...ANY_CHANNEL, executor, kind: "news" as const, event })),
    );
}

/** News for the requestor: at most one for each change. */
function buildRequestorDeliveries({ state, documents }: Change): NewDelivery[] {
  const { requestor, requestor_reached, status } = state;
  if (!requestor_reached) return [];
  const event = buildRequestorEvent(
    documents.map(({ document }) => document).filter(({ from }) => from !== requestor),
    status,
  );
  return event ? [{ ...ANY_CHANNEL, executor: requestor, kind: "news", event }] : [];
}

/** System actions that take a thread from its holder, or end it. */
const REPORTED_ACTIONS: readonly string[] = ["released", "expired", "superseded", "cancelled"];

/** History actions that change how a thread is displayed. */
const VISIBLE_ACTIONS: readonly string[] = [
  ...STATUSES,
  "replied",
  "released",
  "accepted",
  "rejected",
];

function findLastEvent(history: readonly HistoryEntry[]): NoticeEvent | undefined {
  const entry = history.findLast(({ action }) => VISIBLE_ACTIONS.includes(action));
  return entry && toEvent(entry);
}

const toEvent = ({ action, by, note }: HistoryEntry): NoticeEvent => ({
  what: action,
  by,
  ...defined({ text: note }),
});

/** A message in a thread without a holder is shown where the thread was offered. */
const findOfferComment = ({ state, documents }: Change): NoticeEvent | undefined =>
  state.executor === null
    ? documents.flatMap(({ document }) => extractEvents(document)).at(-1)
    : undefined;

function buildUpdateDeliveries(
  executor: string,
  isNotified: boolean,
  event: NoticeEvent,
  sent: readonly EarlierDelivery[],
  getFeatures: GetChannelFeatures,
): NewDelivery[] {
  const delivered = sent.filter((one) => one.executor === executor && one.state === "delivered");
  const channels = [...new Set(delivered.map(({ channel }) => channel))];
  return channels.flatMap((channel) => {
    const features = channel === null ? undefined : getFeatures(channel);
    const update = { executor, kind: "update" as const, channel, isChannelFixed: true, event };
    if (features?.edits) {
      const requests = delivered.filter(
        (one) => one.channel === channel && one.handle !== null && isRequest(one),
      );
      return requests.slice(-MAX_EDITED_MESSAGES).map(({ handle }) => ({ ...update, handle }));
    }
    return features?.updates && !isNotified ? [{ ...update, handle: null }] : [];
  });
}
