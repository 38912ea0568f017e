/** Builds what a channel is given to say, from the thread as it is at this moment. */
import { type CallbackGrant, makeCallbackToken } from "../auth/callbacks/callback-tokens.ts";
import { sessionId } from "../auth/links/link-sessions.ts";
import { linkAddresses } from "../auth/links/short-links.ts";
import { configOf } from "../config.ts";
import { log } from "../log.ts";
import { plainText } from "../mess/wire/content.ts";
import type { Entry } from "../mess/wire/entries.ts";
import type { JsonMap } from "../mess/json.ts";
import { threadYaml } from "../mess/messe-af/write.ts";
import { type Action, mayOf } from "../mess/thread/actions.ts";
import { participantsOf, type ThreadState } from "../mess/thread/state.ts";
import { writeTime } from "../mess/times.ts";
import type { ChannelKind, Notice } from "../channels/channel.ts";
import type { Contact } from "../contracts/contacts.ts";
import type { Delivery } from "./delivery.ts";
import type { Desk } from "./delivery-port.ts";
import { wordsFor } from "./message-excerpts.ts";

const MOST_LINES = 5;
const LONGEST_LINE = 300;

/** Channels of machines, which call back. */
const CALLS_BACK: readonly ChannelKind[] = ["webhook", "mcp"];

/** What an owner who is alerted may do from there: take what nobody has, end it, or say something. */
const OWNERS_ACTIONS: readonly Action[] = ["claimed", "followup", "cancel"];
/** And what they do with what they have taken. */
const HOLDERS_ACTIONS: readonly Action[] = ["completed", "declined", "response"];

export async function noticeOf(
  env: Env,
  desk: Desk,
  delivery: Delivery,
  channel: ChannelKind,
  contact: Contact,
  names: Readonly<Record<string, string>>,
  now: number,
): Promise<Notice> {
  const { id, kind, executor, happening } = delivery;
  const state = desk.state();
  const household = desk.household();
  const request = desk.request();
  const { secret, origin } = configOf(env);
  const link =
    origin === undefined
      ? undefined
      : await linkOf(desk, delivery, contact, state, origin, secret, now);
  const callback =
    origin === undefined ||
    !CALLS_BACK.includes(channel) ||
    kind === "alert" ||
    contact.token_binding === undefined
      ? undefined
      : await callbackOf(
          secret,
          origin,
          { household, executor, ref: state.ref, binding: contact.token_binding },
          state.zone,
          now,
        );
  if (origin === undefined) warnOnce();
  const earlier = desk.deliveries.messages(executor, channel);
  const below = earlier[0]?.handle;
  const edits = earlier.find(({ handle }) => handle === delivery.handle)?.kind;
  const news = happening === null ? undefined : wordsFor(happening, names);
  return {
    id,
    kind,
    household,
    ref: state.ref,
    executor,
    intent: state.intent,
    priority: state.priority,
    status: state.status,
    requestor: names[state.requestor] ?? state.requestor,
    holder: state.executor === null ? null : (names[state.executor] ?? state.executor),
    mine: state.executor === executor,
    ...(state.expires === undefined ? {} : { expires: writeTime(state.expires, state.zone) }),
    context: contextOf(request),
    ...(news === undefined || news === "" ? {} : { news }),
    ...(edits === undefined ? {} : { edits }),
    ...(below === undefined ? {} : { below }),
    actions: actionsOf(state, delivery, now),
    ...(link === undefined ? {} : { link }),
    ...(callback === undefined ? {} : { callback }),
    request,
    file: async () => threadYaml(desk.thread()),
  };
}

/** Short lines of the request's context, those that say something. */
function contextOf({ context }: JsonMap): string[] {
  if (!Array.isArray(context)) return [];
  return plainText(context as Entry[])
    .split("\n")
    .slice(0, MOST_LINES)
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line));
}

function actionsOf(state: ThreadState, { executor, kind }: Delivery, now: number): Action[] {
  const owner = kind === "alert";
  const own = state.executor === executor ? HOLDERS_ACTIONS : [];
  const among = owner ? [...OWNERS_ACTIONS, ...own] : undefined;
  return mayOf(state, { actor: executor, owner }, now)
    .filter(({ action, allowed }) => allowed && (among?.includes(action) ?? true))
    .map(({ action }) => action);
}

/**
 * For those who take part by it: a link lets nobody in who has not been asked. An alert's lets in nobody at all: it is
 * for owners, who sign in, as whoever asked for the thread does.
 */
async function linkOf(
  desk: Desk,
  { executor, kind }: Delivery,
  { membership }: Contact,
  state: ThreadState,
  origin: string,
  secret: string,
  now: number,
): Promise<Notice["link"]> {
  if (kind === "alert" || executor === state.requestor) {
    const query = new URLSearchParams({
      ref: state.ref,
      session: await sessionId(desk.household()),
    });
    const url = `${origin}/respond?${query.toString()}`;
    return { url, short_url: url };
  }
  if (!participantsOf(state).includes(executor)) return undefined;
  const given = desk.linkFor(executor, membership, now);
  if (!given) return undefined;
  const link = { ...given, household: desk.household(), ref: state.ref };
  return await linkAddresses(secret, origin, link, given.number);
}

async function callbackOf(
  secret: string,
  origin: string,
  grant: CallbackGrant,
  zone: string,
  now: number,
): Promise<Notice["callback"]> {
  const { token, expires } = await makeCallbackToken(secret, grant, now);
  const { household, executor } = grant;
  return {
    url: `${origin}/hooks/executor/${household}/${executor}`,
    token,
    expires: writeTime(expires * 1_000, zone),
  };
}

let warned = false;
function warnOnce(): void {
  if (warned) return;
  warned = true;
  log("notices_without_links", { hint: "set PUBLIC_ORIGIN" });
}
