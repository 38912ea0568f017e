/** Appends a message to an existing thread. */
import { defined } from "../mess/defined.ts";
import { getHouseholdStub } from "../stubs.ts";
import { buildCallKey } from "../auth/call-key.ts";
import type { Principal } from "../auth/principal.ts";
import type { Outcome } from "../mess/errors.ts";
import { findNearest } from "../mess/nearest-word.ts";
import { fail, ok } from "../mess/result.ts";
import type { Candidate } from "../mess/routing/routing.ts";
import type { Message } from "../mess/wire/schema.ts";
import { readDelegateName } from "../mess/thread/suggestions/proposals.ts";
import type { Receipt } from "../contracts/thread.ts";
import { adoptUploads } from "./files/adopt-uploads.ts";
import type { ExchangeCall } from "./create-threads.ts";
import { reserveFiles } from "./files/reserve-files.ts";
import { computeDigest, withStoredBlobs } from "./files/message-files.ts";
import { withThread, type ExchangeBindings } from "./with-thread.ts";

/** Appends one message of a call. `index` is its position in the call and part of its idempotency key. */
export async function appendMessage(
  env: ExchangeBindings,
  call: ExchangeCall,
  message: Message,
  index: number,
): Promise<Outcome<Receipt>> {
  const { principal, channel, key } = call;
  const delegate = await findDelegate(env, principal, message);
  if (!delegate.ok) {
    const access = await checkLink(env, principal, message);
    return access.ok ? delegate : access;
  }
  const idempotency =
    key === undefined
      ? {}
      : {
          idempotency: {
            key: buildCallKey(principal, index, key),
            digest: await computeDigest(message, message, call.files),
          },
        };
  const reserve = (sizes: readonly number[]) =>
    reserveForAppend(env, principal, message, sizes, idempotency.idempotency?.key);
  const uploads = await adoptUploads(env, principal, [message]);
  if (!uploads.ok) return uploads;
  return await withStoredBlobs(
    env,
    principal,
    uploads.value,
    call.files,
    reserve,
    async ([stored]) => {
      const outcome = await withThread(
        env,
        principal,
        message.re ?? "",
        { key, isReply: isReply(message) },
        ({ stub, message: about }) =>
          stub.append({
            actor: principal,
            channel,
            message: stored?.message ?? message,
            blobs: stored?.blobs ?? [],
            ...idempotency,
            ...defined({ about, delegate: delegate.value }),
          }),
      );
      return { outcome, used: [outcome.ok && outcome.value.fresh] };
    },
  );
}

/** The target of a message that only replies may be the id of a suggestion. */
const isReply = ({ blocks }: Message): boolean => blocks.every(({ type }) => type === "reply");

/** A repeated message passes, whatever the quotas: its files are deleted again. */
async function reserveForAppend(
  env: ExchangeBindings,
  principal: Principal,
  { re = "" }: Message,
  sizes: readonly number[],
  callKey: string | undefined,
): Promise<Outcome<boolean>> {
  const reserved = await reserveFiles(env, principal, sizes);
  if (reserved.ok || callKey === undefined) return reserved;
  const found = await withThread(env, principal, re, undefined, ({ stub }) =>
    stub.findReceipt(principal, callKey),
  );
  return found.ok && found.value !== null ? ok(false) : reserved;
}

/** Refuses an ended link before the delegate is looked up, so that it cannot probe for names of members. */
const checkLink = async (
  env: ExchangeBindings,
  principal: Principal,
  { re = "" }: Message,
): Promise<Outcome<boolean>> =>
  principal.scope
    ? await withThread(env, principal, re, undefined, ({ stub }) => stub.checkUpload(principal))
    : ok(true);

const DOMAIN_PATTERN = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}$/i;

/** A domain that is no misspelled member: ids of members may have dots, too. */
const isOutsideDomain = (name: string, members: readonly string[] = []): boolean =>
  DOMAIN_PATTERN.test(name) && findNearest(name, members) === undefined;

/**
 * Finds the member that a delegation names (decision 34). A name with a colon or a slash, or a domain, is outside of
 * the household; any other must be a member. An unknown member in a suggestion is refused only when the suggestion is accepted.
 */
async function findDelegate(
  env: ExchangeBindings,
  principal: Principal,
  { blocks }: Message,
): Promise<Outcome<Candidate | undefined>> {
  for (const block of blocks) {
    if (block.type !== "status" || block.body.code !== "delegated") continue;
    const name = block.body.delegated_to ?? "";
    if (/[:/]/.test(name)) return ok(undefined);
    const member = await getHouseholdStub(env, principal.household).threads.findCandidate(name);
    if (!member.ok && isOutsideDomain(name, member.error.valid)) return ok(undefined);
    // A link gives access to one thread only, so the error must not list the household's members.
    return member.ok || !principal.scope ? member : fail({ ...member.error, valid: [] });
  }
  const suggestedDelegate = blocks
    .map((block) => (block.type === "suggestion" ? readDelegateName(block.body) : undefined))
    .find((name) => name !== undefined);
  if (suggestedDelegate === undefined) return ok(undefined);
  const member = await getHouseholdStub(env, principal.household).threads.findCandidate(
    suggestedDelegate,
  );
  return ok(member.ok ? member.value : undefined);
}
