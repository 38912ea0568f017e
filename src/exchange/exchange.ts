/**
 * The core path: every ingress calls these functions with an authenticated principal. `postMessages` takes a text and
 * parses it; `sendMessages` takes messages that a form, a tool or a machine's reply built, and checks them like a text without
 * writing one; `postParsedMessages` takes messages that the caller has parsed. `readThread`, `listThreads` and
 * `waitForChange` return threads.
 */
import { defined } from "../mess/defined.ts";
import { isStillLive } from "../auth/live-credential.ts";
import type { Principal } from "../auth/principal.ts";
import { checkRequestRate } from "../auth/rates/request-rate.ts";
import { refuseUnauthenticated } from "../auth/unauthenticated.ts";
import { checkLinkScope } from "../auth/links/link-scope.ts";
import { configureHousehold } from "./source-calls/configure-household.ts";
import { createThreads, type ExchangeCall } from "./create-threads.ts";
import type { SentFile } from "./files/message-files.ts";
import { checkFilesUsed } from "./files/check-unused-files.ts";
import { answerQuery } from "./answer-query.ts";
import { waitForSocket } from "./wait-for-socket.ts";
import { withWaitSlot } from "./wait-slots.ts";
import { withThread, type ExchangeBindings, type ResolvedThread } from "./with-thread.ts";
import { appendMessage } from "./append-message.ts";
import { type MessError, type Outcome, refuse } from "../mess/errors.ts";
import type { JsonMap } from "../mess/json.ts";
import { refuseThreadNotFound } from "../auth/thread-not-found.ts";
import { checkMessages, parseMessages } from "../mess/wire/parse.ts";
import { fail, ok } from "../mess/result.ts";
import type { Message, MessageInput } from "../mess/wire/schema.ts";
import { isFinal } from "../mess/status.ts";
import { buildReaderFilter } from "./lists/reader-filter.ts";
import { type ListFilter, type ListedThreads, queryThreads } from "../partitions/list.ts";
import type { ThreadRpc } from "../contracts/thread.ts";
import type { ResourceView, ThreadView } from "../contracts/thread-views.ts";

interface CallOptions {
  /** The channel of the message: http, mcp, slack, … */
  channel: string;
  /** `Idempotency-Key`: repeating the call returns the same result without doing anything. */
  key?: string;
  files?: readonly SentFile[];
  /** The target of messages without `re`. */
  target?: string;
  /** Refuse a request whose client id names another open request of the last ten minutes. */
  refuseReusedIds?: true;
  /** The request belongs to a record, and is offered to one member only. */
  opens?: ExchangeCall["opens"];
}

export interface RawMessage extends CallOptions {
  /** YAML or JSON in any form of decision 52. */
  text: string;
}

export interface TypedMessages extends CallOptions {
  messages: readonly MessageInput[];
}

/** One entry for each message of the call, in order; all requests of the call share one ack. */
export type PostedEntry = { ack: JsonMap } | { response: JsonMap } | { error: MessError };

export interface Posted {
  entries: PostedEntry[];
  /** The call created at least one thread. */
  created: boolean;
  /** Refs of its requests that earlier calls created. */
  repeated: string[];
}

/** Processes the messages of a text. Where all of them fail, the call is refused with the first error. */
export async function postMessages(
  env: ExchangeBindings,
  principal: Principal,
  raw: RawMessage,
): Promise<Outcome<Posted>> {
  const { target } = raw;
  const parsed = parseMessages(raw.text, target === undefined ? {} : { target });
  return parsed.ok ? await postParsedMessages(env, principal, parsed.value, raw) : parsed;
}

/** Processes messages that a program built, like `postMessages` those of a text. */
export async function sendMessages(
  env: ExchangeBindings,
  principal: Principal,
  sent: TypedMessages,
): Promise<Outcome<Posted>> {
  const { target } = sent;
  const checked = checkMessages(sent.messages, target === undefined ? {} : { target });
  return checked.ok ? await postParsedMessages(env, principal, checked.value, sent) : checked;
}

/** Processes messages that `parseMessages` or `checkMessages` has accepted. */
export async function postParsedMessages(
  env: ExchangeBindings,
  principal: Principal,
  messages: readonly Message[],
  { channel, key, files = [], refuseReusedIds, opens }: Omit<CallOptions, "target">,
): Promise<Outcome<Posted>> {
  const scoped = checkLinkScope(principal, messages);
  if (scoped) return fail(scoped);
  const unusedFiles = checkFilesUsed(messages, files);
  if (unusedFiles) return fail(unusedFiles);
  // The call has counted once; each further thread that it appends to counts like a call of its own.
  const appends = messages.filter(({ blocks }) => blocks[0]?.type !== "request").length;
  const rate = await checkRequestRate(env, principal, appends - 1);
  if (!rate.ok) return rate;
  const call: ExchangeCall = {
    principal,
    channel,
    files,
    ...defined({ key, refuseReusedIds, opens }),
  };
  const entries: PostedEntry[] = [];
  const requests = messages.filter(({ blocks }) => blocks[0]?.type === "request");
  let created = false;
  const repeated: string[] = [];
  for (const [index, message] of messages.entries()) {
    const isRequest = requests.includes(message);
    if (isRequest && message !== requests[0]) continue;
    if (!isRequest) {
      entries.push(await processMessage(env, call, message, index));
      continue;
    }
    const threads = await createThreads(env, call, requests);
    entries.push(toEntry(threads.ok ? ok(threads.value.ack) : threads));
    if (!threads.ok) continue;
    created = true;
    repeated.push(...threads.value.repeated);
  }
  const errors = entries.filter((entry) => "error" in entry);
  return errors.length === entries.length && errors[0]
    ? fail(errors[0].error)
    : ok({ entries, created, repeated });
}

async function processMessage(
  env: ExchangeBindings,
  call: ExchangeCall,
  message: Message,
  index: number,
): Promise<PostedEntry> {
  const [block] = message.blocks;
  if (block?.type === "config") {
    if (call.principal.role !== "owner")
      return {
        error: refuse("wrong_role", "only owners may send config", "Use an owner's key.").error,
      };
    if (!(await isStillLive(env, call.principal))) return { error: refuseUnauthenticated().error };
    const done = await configureHousehold(env, call.principal, block.body as JsonMap);
    return toEntry(done.ok ? ok({ re: "config", warnings: done.value.warnings }) : done);
  }
  if (block?.type === "query") {
    const answer = await answerQuery(env, call.principal, block.body);
    return answer.ok ? { response: answer.value } : { error: answer.error };
  }
  const appended = await appendMessage(env, call, message, index);
  return toEntry(appended.ok ? ok(appended.value.ack) : appended);
}

const toEntry = (outcome: Outcome<JsonMap>): PostedEntry =>
  outcome.ok ? { ack: outcome.value } : { error: outcome.error };

/**
 * Reads a thread, whole or after a cursor, with files as `content://` resources. `target` is a ref in any form of
 * decision 4.
 */
export const readThread = (
  env: ExchangeBindings,
  principal: Principal,
  target: string,
  after?: number,
): Promise<Outcome<ResourceView>> =>
  withThread(env, principal, target, undefined, ({ stub }) => stub.readResources(principal, after));

/** Lists the caller's threads from the index, newest change first; owners, and members of an open household, see all of them. */
export const listThreads = (
  env: ExchangeBindings,
  principal: Principal,
  filter: Omit<ListFilter, "participant" | "reader">,
): Promise<Outcome<ListedThreads>> =>
  queryThreads(env.INDEX, principal.household, {
    ...filter,
    ...buildReaderFilter(principal),
  });

/**
 * Returns the thread after its next change past the cursor, or unchanged after `timeout` milliseconds. Without a
 * cursor it waits for the next change, and returns a finished thread immediately.
 */
export const waitForChange = (
  env: ExchangeBindings,
  principal: Principal,
  target: string,
  after: number | undefined,
  timeout: number,
  signal?: AbortSignal,
): Promise<Outcome<ResourceView>> =>
  waitForView(
    env,
    principal,
    target,
    after,
    timeout,
    (stub, cursor) => stub.readResources(principal, cursor),
    signal,
  );

/** Like `waitForChange`, for any form in which a thread is read. */
export async function waitForView<View extends Pick<ThreadView, "envelope" | "cursor">>(
  env: ExchangeBindings,
  principal: Principal,
  target: string,
  after: number | undefined,
  timeout: number,
  read: (stub: ThreadRpc, after?: number) => Promise<Outcome<View>>,
  signal?: AbortSignal,
): Promise<Outcome<View>> {
  const wait = async ({ stub }: ResolvedThread): Promise<Outcome<View>> => {
    // Without a cursor, no message of before is returned, unless the thread has ended.
    const now = await read(stub, after ?? Number.MAX_SAFE_INTEGER);
    if (!now.ok) return now;
    if (after === undefined && isFinal(now.value.envelope.status)) return await read(stub);
    const { cursor } = now.value;
    if (after !== undefined && cursor > after) return now;
    const seen = after ?? cursor;
    const response = await stub.fetch(
      new Request(`https://thread/wait?after=${seen}`, { headers: { Upgrade: "websocket" } }),
    );
    const socket = response.webSocket;
    if (!socket) return refuseThreadNotFound();
    socket.accept();
    await waitForSocket(socket, timeout, signal);
    if (!(await isStillLive(env, principal))) return refuseUnauthenticated();
    return await read(stub, seen);
  };
  return await withWaitSlot(env, principal, () =>
    withThread(env, principal, target, undefined, wait),
  );
}
