/** Creates threads: the household opens all requests of a call in one transaction, then each thread is created. */
import { defined } from "../mess/defined.ts";
import { getHouseholdStub, getThreadStub } from "../stubs.ts";
import type { Principal } from "../auth/principal.ts";
import { hashSha256 } from "../auth/hash.ts";
import type { OpenedThread } from "../contracts/household-threads.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import type { JsonMap } from "../mess/json.ts";
import { LIMITS } from "../mess/limits.ts";
import { buildObservationText } from "../mess/routing/observations.ts";
import { fail, ok } from "../mess/result.ts";
import type { Message, Request } from "../mess/wire/schema.ts";
import type { CreateInput, Receipt } from "../contracts/thread.ts";
import {
  computeDigest,
  type SentFile,
  type UsedBlobs,
  withStoredBlobs,
  type MessageWithBlobs,
} from "./message-files.ts";
import { checkFilesSent } from "./check-unused-files.ts";
import type { ExchangeBindings } from "./with-thread.ts";

export interface ExchangeCall {
  principal: Principal;
  channel: string;
  /** The call's `Idempotency-Key`. */
  key?: string;
  files: readonly SentFile[];
}

interface PreparedRequest {
  message: Message;
  request: Request;
  digest: string;
  /** Digest of the observation, where the request may be coalesced with others. */
  observationDigest?: string;
}

/** Creates a thread for every request and returns one ack for all (decisions 9, 14, 42, 43). */
export async function createThreads(
  env: ExchangeBindings,
  call: ExchangeCall,
  messages: readonly Message[],
): Promise<Outcome<JsonMap>> {
  const { principal } = call;
  if (principal.role === "executor" || principal.scope)
    return refuse(
      "wrong_role",
      "executors may not create requests",
      "Use the key of an agent or an owner.",
    );
  if (messages.length > LIMITS.requestsPerBatch)
    return refuse(
      "too_large",
      `the call has ${messages.length} requests`,
      `Send at most ${LIMITS.requestsPerBatch} requests in one call.`,
    );
  const missingFiles = checkFilesSent(messages, call.files);
  if (missingFiles) return fail(missingFiles);
  const prepared = await Promise.all(
    messages.map((message) => prepareRequest(message, call.files)),
  );
  return await withStoredBlobs(env, principal, messages, call.files, (stored) =>
    openAndCreate(env, call, prepared, stored),
  );
}

async function prepareRequest(
  message: Message,
  files: readonly SentFile[],
): Promise<PreparedRequest> {
  const [block] = message.blocks;
  if (block?.type !== "request") throw new Error("createThreads accepts only requests");
  const request = block.body;
  const observationDigest = buildObservationText(request);
  return {
    message,
    request,
    digest: await computeDigest(request, message, files),
    ...(observationDigest === undefined
      ? {}
      : { observationDigest: await hashSha256(observationDigest) }),
  };
}

async function openAndCreate(
  env: ExchangeBindings,
  call: ExchangeCall,
  prepared: readonly PreparedRequest[],
  stored: readonly MessageWithBlobs[],
): Promise<UsedBlobs<JsonMap>> {
  const { household, actor } = call.principal;
  const used: boolean[] = [];
  const opened = await getHouseholdStub(env, household).threads.openThreads({
    actor,
    ...defined({ key: call.key }),
    requests: prepared.map(({ message: _message, ...one }) => one),
  });
  if (!opened.ok) return { outcome: opened, used };
  const { zone, threads } = opened.value;
  const receipts: Receipt[] = [];
  for (const [index, thread] of threads.entries()) {
    const { message, blobs } = stored[index]!;
    const joins = await joinThread(env, call.principal, prepared[index]!, thread);
    const created = await getThreadStub(env, household, thread.ref).create({
      household,
      ref: thread.ref,
      zone,
      requestor: actor,
      channel: call.channel,
      message,
      blobs,
      digest: prepared[index]!.digest,
      route: thread.route,
      ...(thread.unreached ? { unreached: true as const } : {}),
      ...(thread.requestor_reached ? { requestor_reached: true as const } : {}),
      ...buildBatch(threads),
      ...(thread.blocked_by.length > 0 ? { blocked_by: thread.blocked_by } : {}),
      ...defined({ joins }),
    });
    if (!created.ok) return { outcome: created, used };
    used[index] = created.value.fresh;
    receipts.push(created.value);
  }
  return { outcome: ok(receipts[0]?.ack ?? {}), used };
}

/**
 * Joins the new thread to one with an equal request. The other thread decides, since it may have just ended.
 */
async function joinThread(
  env: ExchangeBindings,
  { household, actor }: Principal,
  { request, observationDigest }: PreparedRequest,
  { ref, joins }: OpenedThread,
): Promise<string | undefined> {
  if (!joins) return undefined;
  const joined = await getThreadStub(env, household, joins.ref).acceptJoiner(
    { actor, ref },
    joins.within,
  );
  if (joined.ok) return joins.ref;
  if (observationDigest !== undefined)
    await getHouseholdStub(env, household).threads.registerObservation(
      actor,
      ref,
      request,
      observationDigest,
    );
  return undefined;
}

function buildBatch(threads: readonly OpenedThread[]): Pick<CreateInput, "batch" | "batch_ack"> {
  if (threads.length < 2) return {};
  return {
    batch: threads.map(({ ref }) => ref),
    batch_ack: threads.map(({ ref, client_id: id }) => (id === undefined ? { ref } : { id, ref })),
  };
}
