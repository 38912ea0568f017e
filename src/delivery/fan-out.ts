/**
 * What a change of a thread makes to be told: its notices, news for those whom it concerns, and updates of what was
 * sent before. Nobody is told of what they did themselves. Pure.
 */
import type { HistoryEntry } from "../mess/envelope.ts";
import { isFinal, STATUSES } from "../mess/status.ts";
import type { Change } from "../mess/thread/thread-change.ts";
import { EXCHANGE } from "../mess/thread/policy.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import { alertsAnew } from "./refresh-alerts.ts";
import type { Carries, ChannelKind } from "../channels/channel.ts";
import {
  type Happening,
  type NewDelivery,
  OWNERS,
  type SentBefore,
  UNDER_WAY,
} from "./delivery.ts";
import { saidIn } from "./message-excerpts.ts";
import { toldRequestor } from "./requestor-notices.ts";

/** What a channel can carry; undefined for one that this deployment does not have. */
export type CarriesOf = (channel: ChannelKind) => Carries | undefined;

/** Messages of one member in one channel that are edited: those that ask for something, the newest of them. */
const MOST_EDITED = 4;

/**
 * @param before the state that the change left; undefined for a new thread
 * @param sent earlier deliveries of the thread, oldest first
 */
export function following(
  before: ThreadState | undefined,
  change: Change,
  sent: readonly SentBefore[],
  carriesOf: CarriesOf,
): NewDelivery[] {
  const made = change.notices.flatMap((notice) => noticed(notice, change.state, sent));
  if (before === undefined) return made;
  const { state } = change;
  const news = newsOf(before, change, sent);
  if (!news.some(({ executor }) => executor === state.requestor)) news.push(...toRequestor(change));
  if (sent.length === 0) return [...made, ...news];
  const told = new Set(news.map(({ executor }) => executor));
  const happening = lastOf(change.history) ?? offeredWords(change);
  if (happening === undefined) return [...made, ...news];
  const updates = membersOf(sent)
    .filter((executor) => !hadLeft(before, state, executor))
    .flatMap((executor) =>
      updatesOf(
        executor,
        // Who gets a message about it needs no second one.
        happening.by === executor || told.has(executor),
        happening,
        sent,
        carriesOf,
      ),
    );
  return [...made, ...news, ...updates, ...alertsAnew(before, state, sent, carriesOf)];
}

const plain = { channel: null, alone: false, handle: null } as const;

function noticed(
  { kind, to, note, again, about }: Change["notices"][number],
  { status, requestor_reached }: ThreadState,
  sent: readonly SentBefore[],
): NewDelivery[] {
  if (kind === "news" && !requestor_reached) return [];
  const what = about ?? (isFinal(status) ? "ended" : "note");
  const happening: Happening | null =
    note === undefined ? null : { what, text: note, ...(again ? { again } : {}) };
  const members = kind === "alert" ? [OWNERS] : to;
  return members.map((executor) => {
    const waits = sent.some(
      (one) => one.executor === executor && one.state === "due" && isAsking(one),
    );
    return {
      ...plain,
      executor,
      kind,
      happening,
      ...(kind !== "alert" && kind !== "news" && waits ? { dropped: UNDER_WAY } : {}),
    };
  });
}

const isAsking = ({ kind }: Pick<SentBefore, "kind">): boolean =>
  kind === "offer" || kind === "reminder";

const membersOf = (sent: readonly SentBefore[]): string[] => [
  ...new Set(sent.map(({ executor }) => executor).filter((executor) => executor !== OWNERS)),
];

/** It had declined before, and is none of those who are told any more. */
const hadLeft = (before: ThreadState, after: ThreadState, executor: string): boolean =>
  [before, after].every(
    (state) =>
      state.executor !== executor &&
      state.candidates.some(({ id, declined }) => id === executor && declined),
  );

/** What others said, or the exchange did, goes to who holds the thread, held it, or has asked about it. */
function newsOf(before: ThreadState, change: Change, sent: readonly SentBefore[]): NewDelivery[] {
  const concerned = [before.executor, before.soft_claim, change.state.executor];
  const lost = change.history.find(({ by, action }) => by === EXCHANGE && NEWS.includes(action));
  const happenings = [
    ...change.documents.flatMap(({ document }) => saidIn(document)),
    ...(lost ? [happeningOf(lost)] : []),
  ];
  return membersOf(sent)
    .filter((executor) => concerned.includes(executor))
    .flatMap((executor) =>
      happenings
        .filter(({ by }) => by !== executor)
        .map((happening) => ({ ...plain, executor, kind: "news" as const, happening })),
    );
}

/** What others said to the requestor, or became of its thread, is one piece of news for each change. */
function toRequestor({ state, documents }: Change): NewDelivery[] {
  const { requestor, requestor_reached, status } = state;
  if (!requestor_reached) return [];
  const happening = toldRequestor(
    documents.map(({ document }) => document).filter(({ from }) => from !== requestor),
    status,
  );
  return happening ? [{ ...plain, executor: requestor, kind: "news", happening }] : [];
}

/** Acts of the exchange that take a thread from who had it, or end it. */
const NEWS: readonly string[] = ["released", "expired", "superseded", "cancelled"];

/** Rows of the history that show what a thread looks like. */
const SHOWN: readonly string[] = [...STATUSES, "replied", "released", "accepted", "rejected"];

function lastOf(history: readonly HistoryEntry[]): Happening | undefined {
  const entry = history.findLast(({ action }) => SHOWN.includes(action));
  return entry && happeningOf(entry);
}

const happeningOf = ({ action, by, note }: HistoryEntry): Happening => ({
  what: action,
  by,
  ...(note === undefined ? {} : { text: note }),
});

/** Words to a thread that nobody holds yet: those who were asked see them where they were asked. */
const offeredWords = ({ state, documents }: Change): Happening | undefined =>
  state.executor === null
    ? documents.flatMap(({ document }) => saidIn(document)).at(-1)
    : undefined;

function updatesOf(
  executor: string,
  knows: boolean,
  happening: Happening,
  sent: readonly SentBefore[],
  carriesOf: CarriesOf,
): NewDelivery[] {
  const mine = sent.filter((one) => one.executor === executor && one.state === "delivered");
  const channels = [...new Set(mine.map(({ channel }) => channel))];
  return channels.flatMap((channel) => {
    const carries = channel === null ? undefined : carriesOf(channel);
    const update = { executor, kind: "update" as const, channel, alone: true, happening };
    if (carries?.edits) {
      const asking = mine.filter(
        (one) => one.channel === channel && one.handle !== null && isAsking(one),
      );
      return asking.slice(-MOST_EDITED).map(({ handle }) => ({ ...update, handle }));
    }
    return carries?.updates && !knows ? [{ ...update, handle: null }] : [];
  });
}
