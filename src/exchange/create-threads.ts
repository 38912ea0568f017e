/** Creates threads: the household opens all requests of a call in one transaction, then each thread is created. */
import { defined } from "../mess/defined.ts";
import { getHouseholdStub, getThreadStub } from "../stubs.ts";
import type { Principal } from "../auth/principal.ts";
import { hashSha256 } from "../auth/hash.ts";
import type { HouseholdThreadsRpc, OpenedThread } from "../contracts/household-threads.ts";
import { ID_REUSED, type Outcome, refuse } from "../mess/errors.ts";
import type { JsonMap } from "../mess/json.ts";
import { LIMITS } from "../mess/limits.ts";
import { buildObservationText } from "../mess/routing/observations.ts";
import { fail, ok } from "../mess/result.ts";
import { isFinal } from "../mess/status.ts";
import type { SourceRequestOrigin } from "../mess/sources/request-origin.ts";
import type { TaskOrigin } from "../mess/thread/state.ts";
import type { Message, Request } from "../mess/wire/schema.ts";
import type { CreateInput, Receipt } from "../contracts/thread.ts";
import {
  computeDigest,
  type SentFile,
  type UsedBlobs,
  withStoredBlobs,
  type MessageWithBlobs,
} from "./files/message-files.ts";
import { adoptUploads } from "./files/adopt-uploads.ts";
import { checkFilesSent } from "./files/check-unused-files.ts";
import {
  resolveReferences,
  type ResolvedReferences,
  writeReferences,
} from "./resolve-references.ts";
import { listRequestWarnings } from "./request-warnings.ts";
import type { ExchangeBindings } from "./with-thread.ts";

export interface ExchangeCall {
  principal: Principal;
  channel: string;
  /** The call's `Idempotency-Key`. */
  key?: string;
  files: readonly SentFile[];
  /** Refuse a request whose client id names another open request of the last ten minutes. */
  refuseReusedIds?: true;
  /** The request belongs to a record, and is offered to this executor only, or to one owner who can be reached. */
  opens?: { origin: TaskOrigin; executor: string } | { origin: SourceRequestOrigin; owner: true };
}

interface CreatedThreads {
  ack: JsonMap;
  /** Refs of threads that an earlier call created. */
  repeated: string[];
}

interface PreparedRequest {
  message: Message;
  request: Request;
  digest: string;
  /** Digest of the observation, where the request may be coalesced with others. */
  observationDigest?: string;
  references: ResolvedReferences;
}

/** Creates a thread for every request and returns one ack for all (decisions 9, 14, 42, 43). */
export async function createThreads(
  env: ExchangeBindings,
  call: ExchangeCall,
  messages: readonly Message[],
): Promise<Outcome<CreatedThreads>> {
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
  const references = await resolveReferences(env, call, messages.map(getRequest));
  if (!references.ok) return references;
  const prepared = await Promise.all(
    messages.map((message, index) => prepareRequest(message, call.files, references.value[index]!)),
  );
  const uploads = await adoptUploads(env, principal, messages);
  if (!uploads.ok) return uploads;
  return await withStoredBlobs(env, principal, uploads.value, call.files, undefined, (stored) =>
    openAndCreate(env, call, prepared, stored),
  );
}

async function prepareRequest(
  message: Message,
  files: readonly SentFile[],
  references: ResolvedReferences,
): Promise<PreparedRequest> {
  const request = getRequest(message);
  const observationText = buildObservationText(request);
  return {
    message,
    request,
    references,
    digest: await computeDigest(request, message, files),
    ...(observationText === undefined
      ? {}
      : { observationDigest: await hashSha256(observationText) }),
  };
}

function getRequest({ blocks: [block] }: Message): Request {
  if (block?.type !== "request") throw new Error("createThreads accepts only requests");
  return block.body;
}

async function openAndCreate(
  env: ExchangeBindings,
  call: ExchangeCall,
  prepared: readonly PreparedRequest[],
  stored: readonly MessageWithBlobs[],
): Promise<UsedBlobs<CreatedThreads>> {
  const { household, actor } = call.principal;
  const used: boolean[] = [];
  const opened = await openThreads(env, call, prepared, stored);
  if (!opened.ok) return { outcome: opened, used };
  const { zone, threads } = opened.value;
  const refs = threads.map(({ ref }) => ref);
  const warnings = await Promise.all(
    threads.map(async (thread, index) => [
      ...(await warnReusedId(env, call, thread)),
      ...warnOfRequest(prepared[index]!, thread, zone),
    ]),
  );
  // The requests of a call have one ack: that of its first thread.
  const [first = []] = threads.length > 1 ? [nameWarnings(warnings, prepared, refs)] : warnings;
  const receipts: Receipt[] = [];
  for (const [index, thread] of threads.entries()) {
    const { message: sent, blobs } = stored[index]!;
    const { message, references } = writeReferences(sent, prepared[index]!.references, refs);
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
      ...(call.principal.role === "member" ? { requestor_serves: true as const } : {}),
      ...(references.length > 0 ? { references } : {}),
      ...buildBatch(threads),
      ...(thread.blocked_by.length > 0 ? { blocked_by: thread.blocked_by } : {}),
      ...defined({ joins, queue_position: thread.queue_position, origin: call.opens?.origin }),
      ...(index === 0 && first.length > 0 ? { warnings: first } : {}),
    });
    if (!created.ok) return { outcome: created, used };
    used[index] = created.value.fresh;
    receipts.push(created.value);
  }
  const repeated = receipts.filter(({ fresh }) => !fresh).map(({ ref }) => ref);
  return { outcome: ok({ ack: receipts[0]?.ack ?? {}, repeated }), used };
}

/** Opens the threads in the household. A client id may be used again once the request that it names has ended. */
async function openThreads(
  env: ExchangeBindings,
  { principal, key, refuseReusedIds, opens }: ExchangeCall,
  prepared: readonly PreparedRequest[],
  stored: readonly MessageWithBlobs[],
): ReturnType<HouseholdThreadsRpc["openThreads"]> {
  const { household, actor, role } = principal;
  const { threads } = getHouseholdStub(env, household);
  const requests = prepared.map(({ message: _message, references, ...one }) =>
    references.size > 0 ? { ...one, references: [...references.values()] } : one,
  );
  const sizes = stored.flatMap(({ blobs }) => blobs.map(({ size }) => size));
  const files =
    sizes.length === 0
      ? {}
      : { files: { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) } };
  const input = { actor, role, requests, ...files, ...defined({ key }), ...getReceiver(opens) };
  if (!refuseReusedIds) return await threads.openThreads(input);
  const opened = await threads.openThreads({ ...input, refuseReusedIds });
  if (opened.ok || opened.error.reason !== ID_REUSED) return opened;
  for (const ref of opened.error.valid ?? []) {
    const view = await getThreadStub(env, household, ref).readThread(
      principal,
      Number.MAX_SAFE_INTEGER,
    );
    if (!view.ok || isFinal(view.value.envelope.status)) continue;
    const { client_id: id = "", intent } = view.value.envelope;
    const given = requests.find(({ request }) => request.id === id)?.request.intent ?? "";
    return refuse(
      "idempotency_conflict",
      `the id ${id} names the open request ${ref}: "${cut(intent)}", which differs from the new "${cut(given)}"`,
      `Nothing was asked. To ask both, call again with another id, such as ${id}-2; to replace the first, cancel it first.`,
      { reason: ID_REUSED },
    );
  }
  return await threads.openThreads(input);
}

/** Characters of an intent in an error. */
const MAX_INTENT_CHARS = 100;
const cut = (intent: string): string =>
  intent.length > MAX_INTENT_CHARS ? `${intent.slice(0, MAX_INTENT_CHARS - 1)}…` : intent;

const getReceiver = (opens: ExchangeCall["opens"]): { executor?: string; owner?: true } =>
  opens === undefined ? {} : "owner" in opens ? { owner: true } : { executor: opens.executor };

/** A repeated request was warned of before; one that may join another gets its answer. */
const warnOfRequest = (
  { request, message: { v } }: PreparedRequest,
  { existing, joins, route }: OpenedThread,
  zone: string,
): string[] =>
  existing ? [] : listRequestWarnings(request, v, joins ? undefined : route, zone, Date.now());

/** Says for each warning which request of the call it is about. */
const nameWarnings = (
  warnings: readonly string[][],
  prepared: readonly PreparedRequest[],
  refs: readonly string[],
): string[] =>
  warnings.flatMap((list, index) =>
    list.map((text) => `${prepared[index]!.request.id ?? refs[index]}: ${text}`),
  );

/** Warns in the ack where the client id of the request named another open request until now. */
async function warnReusedId(
  env: ExchangeBindings,
  { principal }: ExchangeCall,
  { client_id: id, reuses, existing }: OpenedThread,
): Promise<string[]> {
  if (reuses === undefined || existing) return [];
  const summary = await getThreadStub(env, principal.household, reuses).getSummary();
  return summary && !isFinal(summary.status)
    ? [`The id ${id} named ${reuses}, which is still open. Now it names this request.`]
    : [];
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
    batch_ack: threads.map(({ ref, client_id: id, queue_position }) => ({
      ...defined({ id }),
      ref,
      ...defined({ queue_position }),
    })),
  };
}
