/** Builds the notice that a channel sends, from the current state of the thread. */
import type { WorkerSecret } from "../auth/worker-secret.ts";
import { defined } from "../mess/defined.ts";
import { type CallbackClaims, makeCallbackToken } from "../auth/callbacks/callback-tokens.ts";
import { buildSessionId } from "../auth/links/link-sessions.ts";
import { buildLinkAddresses } from "../auth/links/short-links.ts";
import { getConfig } from "../config.ts";
import { log } from "../log.ts";
import { toPlainText } from "../mess/wire/content/content.ts";
import type { Entry } from "../mess/wire/content/entries.ts";
import type { JsonMap } from "../mess/json.ts";
import { writeThreadYaml } from "../mess/messe-af/write.ts";
import { type Action, listPermissions } from "../mess/thread/actions.ts";
import { getSourceOrigin, listParticipants, type ThreadState } from "../mess/thread/state.ts";
import { readDraftText } from "../mess/wire/answer-draft.ts";
import { writeTime } from "../mess/times.ts";
import type { EarlierAnswer, Notice } from "../channels/channel.ts";
import { type ChannelKind, CHANNELS } from "../channels/registry.ts";
import type { Contact } from "../contracts/contacts.ts";
import type { Delivery } from "./delivery.ts";
import type { DeliveryPort } from "./delivery-port.ts";
import { describeRefs, toEarlierAnswer } from "./earlier-answers.ts";
import { formatEvent } from "./message-excerpts.ts";

const MAX_CONTEXT_LINES = 5;
const MAX_LINE_CHARS = 300;

/** Actions that an alerted owner may take from the notice. */
const OWNER_ACTIONS: readonly Action[] = ["claimed", "followup", "cancel"];
/** The same for a thread that the owner holds. */
const HOLDER_ACTIONS: readonly Action[] = ["completed", "declined", "response"];

export async function buildNotice(
  env: Env,
  port: DeliveryPort,
  delivery: Delivery,
  channel: ChannelKind,
  contact: Contact,
  names: Readonly<Record<string, string>>,
  now: number,
): Promise<Notice> {
  const { id, kind, executor, event } = delivery;
  const state = port.getState();
  const household = port.getHousehold();
  const request = port.getRequest();
  const { secret, origin } = getConfig(env);
  const earlier = (await port.readContext()).map((one) => toEarlierAnswer(one, state.ref, origin));
  const link =
    origin === undefined
      ? undefined
      : await buildLink(port, delivery, contact, state, origin, secret, now);
  const callback =
    origin === undefined ||
    CHANNELS[channel].isMachine !== true ||
    kind === "alert" ||
    contact.token_binding === undefined
      ? undefined
      : await buildCallback(
          secret,
          origin,
          { household, executor, ref: state.ref, binding: contact.token_binding },
          state.zone,
          now,
        );
  if (origin === undefined) warnOnce();
  const sentMessages = port.deliveries.listMessages(executor, channel);
  const threadHandle = sentMessages[0]?.handle;
  const edits = sentMessages.find(({ handle }) => handle === delivery.handle)?.kind;
  const eventText = event === null ? undefined : formatEvent(event, names);
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
    isHolder: state.executor === executor,
    ...(state.expires === undefined ? {} : { expires: writeTime(state.expires, state.zone) }),
    context: [
      // A draft that an owner approves is shown whole; its source has limited it.
      ...buildContextLines(request, earlier, getSourceOrigin(state) ? Infinity : MAX_CONTEXT_LINES),
      ...buildDraftLines(request),
    ],
    ...defined({ decision: getDecision(state) }),
    ...(earlier.length > 0 ? { earlier } : {}),
    ...(eventText === undefined || eventText === "" ? {} : { eventText }),
    ...defined({ editsKind: edits, threadHandle }),
    actions: listActions(state, delivery, now),
    ...defined({ link, callback }),
    request,
    buildFile: async () => writeThreadYaml(port.getThread()),
  };
}

/** Short lines of the request's context. */
function buildContextLines(
  { context }: JsonMap,
  earlier: readonly EarlierAnswer[],
  maxLines: number,
): string[] {
  if (!Array.isArray(context)) return [];
  return toPlainText(describeRefs(context as Entry[], earlier))
    .split("\n")
    .slice(0, maxLines)
    .map(cutLine);
}

export const getDecision = (state: ThreadState): Notice["decision"] => {
  const origin = getSourceOrigin(state);
  return origin && (origin.digest === undefined ? "read" : "send");
};

const cutLine = (line: string): string =>
  line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS - 1)}…` : line;

/** The draft of the answer, so that it can be read where the page is not open. */
function buildDraftLines(request: JsonMap): string[] {
  const draft = readDraftText(request);
  return draft === undefined ? [] : [cutLine(`Draft: ${draft}`)];
}

function listActions(state: ThreadState, { executor, kind }: Delivery, now: number): Action[] {
  const owner = kind === "alert";
  const own = state.executor === executor ? HOLDER_ACTIONS : [];
  const candidates = owner ? [...OWNER_ACTIONS, ...own] : undefined;
  return listPermissions(state, { actor: executor, owner }, now)
    .filter(({ action, allowed }) => allowed && (candidates?.includes(action) ?? true))
    .map(({ action }) => action);
}

/**
 * Only candidates and participants get a link, because a link lets its bearer act. Owners and requestors get none:
 * they sign in.
 */
async function buildLink(
  port: DeliveryPort,
  { executor, kind }: Delivery,
  { membership }: Contact,
  state: ThreadState,
  origin: string,
  secret: WorkerSecret,
  now: number,
): Promise<Notice["link"]> {
  // A link could be passed on, and must not approve what is sent in the owner's name.
  if (kind === "alert" || executor === state.requestor || getSourceOrigin(state)) {
    const query = new URLSearchParams({
      ref: state.ref,
      session: await buildSessionId(port.getHousehold()),
    });
    const url = `${origin}/respond?${query.toString()}`;
    return { url, short_url: url };
  }
  if (!listParticipants(state).includes(executor)) return undefined;
  const foundLink = port.findOrMakeLink(executor, membership, now);
  if (!foundLink) return undefined;
  const link = { ...foundLink, household: port.getHousehold(), ref: state.ref };
  return await buildLinkAddresses(secret, origin, link, foundLink.number);
}

async function buildCallback(
  secret: WorkerSecret,
  origin: string,
  claims: CallbackClaims,
  zone: string,
  now: number,
): Promise<Notice["callback"]> {
  const { token, expires } = await makeCallbackToken(secret, claims, now);
  const { household, executor } = claims;
  return {
    url: `${origin}/hooks/executor/${household}/${executor}`,
    token,
    expires: writeTime(expires * 1_000, zone),
  };
}

let hasWarned = false;
function warnOnce(): void {
  if (hasWarned) return;
  hasWarned = true;
  log("notices_without_links", { hint: "set PUBLIC_ORIGIN" });
}
