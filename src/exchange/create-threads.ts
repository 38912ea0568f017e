/** New threads: the requests of one call are opened together in the household, then each thread is made. */
import { householdStub, threadStub } from "../stubs.ts";
import type { Principal } from "../auth/principal.ts";
import { sha256 } from "../auth/hash.ts";
import type { Opened } from "../contracts/household.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import type { JsonMap } from "../mess/json.ts";
import { LIMITS } from "../mess/limits.ts";
import { asksOf } from "../mess/routing/observations.ts";
import { fail, ok } from "../mess/result.ts";
import type { Message, Request } from "../mess/wire/schema.ts";
import type { CreateInput, Receipt } from "../contracts/thread.ts";
import { digestOf, type SentFile, type Used, withBlobs, type WithBlobs } from "./message-files.ts";
import { unsentFault } from "./check-unused-files.ts";
import type { Stores } from "./with-thread.ts";

export interface Call {
  principal: Principal;
  channel: string;
  /** The call's `Idempotency-Key`. */
  key?: string;
  files: readonly SentFile[];
}

interface Wanted {
  message: Message;
  request: Request;
  digest: string;
  /** Digest of what is asked, where it may be put together with others. */
  asks?: string;
}

/** Makes a thread of every request, and acks them in one (decisions 9, 14, 42, 43). */
export async function ask(
  env: Stores,
  call: Call,
  messages: readonly Message[],
): Promise<Outcome<JsonMap>> {
  const { principal } = call;
  if (principal.role === "executor" || principal.scope)
    return refuse(
      "wrong_role",
      "executors do not make requests",
      "Use the key of an agent or an owner.",
    );
  if (messages.length > LIMITS.requestsPerBatch)
    return refuse(
      "too_large",
      `${messages.length} requests in one call`,
      `Send at most ${LIMITS.requestsPerBatch}.`,
    );
  const unsent = unsentFault(messages, call.files);
  if (unsent) return fail(unsent);
  const wanted = await Promise.all(messages.map((message) => want(message, call.files)));
  return await withBlobs(env, principal, messages, call.files, (stored) =>
    open(env, call, wanted, stored),
  );
}

async function want(message: Message, files: readonly SentFile[]): Promise<Wanted> {
  const [block] = message.blocks;
  if (block?.type !== "request") throw new Error("ask takes requests");
  const request = block.body;
  const asks = asksOf(request);
  return {
    message,
    request,
    digest: await digestOf(request, message, files),
    ...(asks === undefined ? {} : { asks: await sha256(asks) }),
  };
}

async function open(
  env: Stores,
  call: Call,
  wanted: readonly Wanted[],
  stored: readonly WithBlobs[],
): Promise<Used<JsonMap>> {
  const { household, actor } = call.principal;
  const used: boolean[] = [];
  const opened = await householdStub(env, household).open({
    actor,
    ...(call.key === undefined ? {} : { key: call.key }),
    requests: wanted.map(({ message: _message, ...one }) => one),
  });
  if (!opened.ok) return { outcome: opened, used };
  const { zone, threads } = opened.value;
  const receipts: Receipt[] = [];
  for (const [index, thread] of threads.entries()) {
    const { message, blobs } = stored[index]!;
    const joins = await join(env, call.principal, wanted[index]!, thread);
    const created = await threadStub(env, household, thread.ref).create({
      household,
      ref: thread.ref,
      zone,
      requestor: actor,
      channel: call.channel,
      message,
      blobs,
      digest: wanted[index]!.digest,
      route: thread.route,
      ...(thread.unreached ? { unreached: true as const } : {}),
      ...(thread.requestor_reached ? { requestor_reached: true as const } : {}),
      ...batchOf(threads),
      ...(thread.blocked_by.length > 0 ? { blocked_by: thread.blocked_by } : {}),
      ...(joins === undefined ? {} : { joins }),
    });
    if (!created.ok) return { outcome: created, used };
    used[index] = created.value.fresh;
    receipts.push(created.value);
  }
  return { outcome: ok(receipts[0]?.ack ?? {}), used };
}

/**
 * The thread that the new one joins, since it asks the same: that one decides, so that nobody joins what has just
 * ended.
 */
async function join(
  env: Stores,
  { household, actor }: Principal,
  { request, asks }: Wanted,
  { ref, joins }: Opened,
): Promise<string | undefined> {
  if (!joins) return undefined;
  const joined = await threadStub(env, household, joins.ref).join({ actor, ref }, joins.within);
  if (joined.ok) return joins.ref;
  if (asks !== undefined) await householdStub(env, household).asksItself(actor, ref, request, asks);
  return undefined;
}

function batchOf(threads: readonly Opened[]): Pick<CreateInput, "batch" | "batch_ack"> {
  if (threads.length < 2) return {};
  return {
    batch: threads.map(({ ref }) => ref),
    batch_ack: threads.map(({ ref, client_id: id }) => (id === undefined ? { ref } : { id, ref })),
  };
}
