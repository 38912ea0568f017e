/**
 * Resolves the references in the context of requests to concrete threads, messages and files, which the sender must be
 * allowed to see (decision 72). Runs before anything is stored.
 */
import { defined } from "../mess/defined.ts";
import type { MessError, Outcome } from "../mess/errors.ts";
import { refuse } from "../mess/errors.ts";
import { findUploadDay } from "../mess/names.ts";
import { ok } from "../mess/result.ts";
import type { Block, Message, Request } from "../mess/wire/schema.ts";
import {
  type ContextReference,
  listReferences,
  mapReferences,
} from "../mess/wire/content/context-references.ts";
import type { ExchangeCall } from "./create-threads.ts";
import { withThread, type ExchangeBindings } from "./with-thread.ts";

/** References of one request, since each is read for every page and notice. */
const MAX_REFERENCES = 16;

/** `{thread}` or `{thread}/{part}`; a number is the position of a request of the same call. */
export type ResolvedReference = string | number;

/** The resolved references of one request, by the reference as it was written. */
export type ResolvedReferences = ReadonlyMap<string, ResolvedReference>;

const toKey = ({ kind, thread, part = "" }: ContextReference): string =>
  `${kind} ${thread}/${part}`;

/** Returns the references of each request, in the order of the requests. */
export async function resolveReferences(
  env: ExchangeBindings,
  call: ExchangeCall,
  requests: readonly Request[],
): Promise<Outcome<ResolvedReferences[]>> {
  const resolved: ResolvedReferences[] = [];
  for (const [index, { context }] of requests.entries()) {
    // Files that a person sent by an upload link become files of the new thread.
    const listed = listReferences(context).filter((one) => findUploadDay(one.thread) === undefined);
    const references = new Map(listed.map((one) => [toKey(one), one]));
    if (references.size > MAX_REFERENCES)
      return refuse(
        "too_large",
        `the context refers to ${references.size} threads and files`,
        `Refer to at most ${MAX_REFERENCES}.`,
        { path: "context" },
      );
    const found = new Map<string, ResolvedReference>();
    for (const [key, reference] of references) {
      const batched = findInBatch(reference, requests, index);
      const one =
        batched === undefined ? await resolveReference(env, call, reference) : ok(batched);
      if (!one.ok) return one;
      found.set(key, one.value);
    }
    resolved.push(found);
  }
  return ok(resolved);
}

/** The request of the same call that the reference names: by its id, or as the one before this one. */
function findInBatch(
  { kind, thread, part }: ContextReference,
  requests: readonly Request[],
  index: number,
): number | undefined {
  if (kind !== "ref" || part !== undefined) return undefined;
  if (thread === "last") return index > 0 ? index - 1 : undefined;
  const found = requests.findLastIndex(({ id }, other) => other !== index && id === thread);
  return found < 0 ? undefined : found;
}

async function resolveReference(
  env: ExchangeBindings,
  { principal, key }: ExchangeCall,
  { kind, thread, part, path }: ContextReference,
): Promise<Outcome<string>> {
  const found = await withThread<string>(env, principal, thread, { key }, async ({ stub, ref }) => {
    if (part === undefined) {
      const seen = await stub.readThread(principal, Number.MAX_SAFE_INTEGER);
      return seen.ok ? ok(ref) : seen;
    }
    if (kind === "file") {
      const file = await stub.findAttachment(principal, part);
      return file.ok ? ok(`${ref}/${file.value.name}`) : file;
    }
    const message = await stub.readMessage(principal, part);
    return message.ok ? ok(`${ref}/${part}`) : message;
  });
  if (found.ok || found.error.code !== "not_found") return found;
  return refuseReference({ kind, thread, path }, found.error);
}

/** A thread that the sender may not see is refused like one that does not exist. */
const refuseReference = (
  { kind, thread, path }: ContextReference,
  { valid }: MessError,
): Outcome<never> =>
  refuse(
    "unknown_reference",
    kind === "ref"
      ? `${thread} names no earlier request that you may see`
      : `no file that you may see has this content:// address`,
    kind === "ref"
      ? "Use the ref from the ack of an earlier request, the id that you gave it, or last."
      : "Copy the content:// address of the file from the answer that has it.",
    { path, ...defined({ valid }) },
  );

/** Replaces the references of a request's message by the threads that they name. @param refs refs of the call's threads */
export function writeReferences(
  message: Message,
  resolved: ResolvedReferences,
  refs: readonly string[],
): { message: Message; references: string[] } {
  if (resolved.size === 0) return { message, references: [] };
  const references = new Set<string>();
  const blocks = message.blocks.map((block): Block => {
    if (block.type !== "request" || !block.body.context) return block;
    const context = mapReferences(block.body.context, (reference) => {
      const found = resolved.get(toKey(reference)) ?? reference.thread;
      const target = typeof found === "number" ? refs[found]! : found;
      references.add(target);
      return target;
    });
    return { type: "request", body: { ...block.body, context } };
  });
  return { message: { ...message, blocks }, references: [...references] };
}
