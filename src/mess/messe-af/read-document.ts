/**
 * Reads one message document of a thread's file into the normal form: `re` beside `MESS`, blocks as in the schema
 * (decisions 1, 3, 37). Unknown or unreadable parts are kept unchanged.
 */
import { defined } from "../defined.ts";
import { readBlock } from "../wire/read-block.ts";
import type { Envelope, MessageDocument } from "../envelope.ts";
import { toCanonicalJson, isMap, type Json, type JsonMap } from "../json.ts";
import { readPayloads } from "../wire/payloads.ts";
import { getMessageKind, buildMessageName, findSenderId, splitTarget } from "../refs.ts";
import type { Block } from "../wire/schema.ts";
import { readTime } from "../times.ts";
import { isSameThread } from "./names.ts";

/** The actor id of the exchange (decision 51). */
export const EXCHANGE = "exchange";

/** A document with its readable blocks, including acks. */
export interface ReadDocument {
  document: MessageDocument;
  blocks: Block[];
}

/** A document as the file has it, before missing fields are filled in. */
export interface RawDocument {
  from?: string;
  received?: string;
  channel?: string;
  re?: string;
  items: { item: JsonMap; blocks: Block[]; re?: string }[];
  extra?: JsonMap;
}

type ThreadNames = Pick<Envelope, "ref" | "client_id">;

const isMessKey = (key: string): boolean => /^mess$/i.test(key);
export const isMessageDocument = (value: JsonMap): boolean => Object.keys(value).some(isMessKey);

export const toScalarText = (value: Json | undefined): string | undefined =>
  value === undefined || value === null || typeof value === "object" ? undefined : String(value);

/** Reads a document; undefined where it has no list of blocks. */
export function readRawDocument(value: JsonMap): RawDocument | undefined {
  const raw: RawDocument = { items: [] };
  const extra: JsonMap = {};
  for (const [key, field] of Object.entries(value)) {
    if (isMessKey(key)) {
      const list = Array.isArray(field) ? field : [field];
      for (const item of list) {
        if (!isMap(item)) return undefined;
        raw.items.push(...readItem(item));
      }
    } else if (key === "from" || key === "received" || key === "channel") {
      const text = toScalarText(field);
      if (text !== undefined) raw[key] = text;
    } else if (key === "re") {
      const first = toScalarText(Array.isArray(field) ? field[0] : field);
      if (first !== undefined) raw.re = first;
    } else extra[key] = field;
  }
  if (Object.keys(extra).length > 0) raw.extra = extra;
  return raw;
}

/** Splits a map of the `MESS` list into one item for each block, or keeps the map where it is unreadable. */
function readItem(item: JsonMap): RawDocument["items"] {
  const found = readPayloads(item);
  if (!found.ok || found.value.payloads.length === 0) {
    const v = toScalarText(item.v);
    return [{ item: v === undefined ? item : { ...item, v }, blocks: [] }];
  }
  const version = toScalarText(item.v);
  const items: RawDocument["items"] =
    version === undefined ? [] : [{ item: { v: version }, blocks: [] }];
  for (const { type, raw, path, re: siblingTarget } of found.value.payloads) {
    const read = readBlock(type, raw, path);
    if (!read.ok) {
      items.push({ item: { [type]: raw }, blocks: [] });
      continue;
    }
    const { block } = read.value;
    const outer = toScalarText(
      Array.isArray(siblingTarget?.raw) ? siblingTarget.raw[0] : siblingTarget?.raw,
    );
    // The `re` of a suggestion names related threads and is not a target.
    const re = block.type === "suggestion" ? undefined : (read.value.re?.[0] ?? outer);
    const written: JsonMap = { [type]: block.body as JsonMap };
    const same = toCanonicalJson(written) === toCanonicalJson(item);
    items.push({
      item: same ? item : written,
      blocks: [block],
      ...defined({ re }),
    });
  }
  return items;
}

/** Replaces a target that refers to its own thread by the ref (decision 3); other targets are unchanged. */
function resolveTarget(
  target: string,
  { ref, client_id }: ThreadNames,
  ids: ReadonlyMap<string, string>,
): string {
  const { thread, message } = splitTarget(target);
  if (message !== undefined) return isSameThread(thread, ref) ? `${ref}/${message}` : target;
  if (thread === "last" || thread === client_id || isSameThread(thread, ref)) return ref;
  return ids.get(thread) ?? target;
}

/**
 * Completes a document, and splits it into several where its blocks have different targets (decision 1).
 * @param ids refs of earlier messages of the thread by their senders' ids
 */
export function completeDocument(
  {
    from,
    received,
    channel,
    re: common,
    items,
    extra,
  }: RawDocument & { from: string; received: string },
  named: ThreadNames,
  ids: ReadonlyMap<string, string>,
): ReadDocument[] {
  const groups: { re: string | undefined; items: RawDocument["items"] }[] = [];
  for (const item of items) {
    const target = item.re ?? (item.blocks.length > 0 ? common : undefined);
    const re = target === undefined ? undefined : resolveTarget(target, named, ids);
    const last = groups.at(-1);
    const group = last && (re === undefined || last.re === undefined || last.re === re);
    if (group) {
      last.items.push(item);
      last.re ??= re;
    } else groups.push({ re, items: [item] });
  }
  if (groups.length === 0) groups.push({ re: undefined, items: [] });
  return groups.map(({ re = common, items }) => ({
    document: {
      from,
      received,
      ...defined({ channel }),
      ...(re === undefined ? {} : { re: resolveTarget(re, named, ids) }),
      MESS: items.map(({ item }) => item),
      ...defined({ extra }),
    },
    blocks: items.flatMap(({ blocks }) => blocks),
  }));
}

/** True for an ISO 8601 time. */
export const isTime = (text: string | undefined): text is string =>
  text !== undefined && readTime(text, "UTC") !== undefined;

/**
 * Creates a function that returns the message name of each document when called in order: `claim-001`,
 * `response-002-list`. The request and acks have none (decisions 10, 11, 14).
 */
export function createDocumentNamer(): (read: ReadDocument) => string | undefined {
  let serial = -1;
  return ({ document: { from, MESS }, blocks }) => {
    if (serial >= 0 && from === EXCHANGE && MESS[0]?.ack !== undefined) return undefined;
    serial++;
    return serial === 0
      ? undefined
      : buildMessageName(getMessageKind(blocks), serial, findSenderId(blocks));
  };
}
