/**
 * Reads a text, or messages that a program built, into checked messages. Each is appended to one thread, or is a single
 * request, query or config (decisions 1, 2, 35, 52, 53). All errors are reported together, and a call with an error is
 * refused as a whole.
 */
import { defined } from "../defined.ts";
import { readBlock } from "./read-block.ts";
import { type Outcome, refuse } from "../errors.ts";
import { type BodyError, toBodyErrors, refuseBody } from "./body-errors.ts";
import { targetsSchema } from "./field-readers.ts";
import type { Json, JsonMap } from "../json.ts";
import { LIMITS } from "../limits.ts";
import { checkSize } from "./message-size.ts";
import { type Payload, type Payloads, readPayloads } from "./payloads.ts";
import { fail, ok, type Result } from "../result.ts";
import type { Block, Message, MessageInput } from "./schema.ts";
import { NO_SOURCE, type Path, type SourceDocument } from "./syntax/source-document.ts";
import { readDocuments } from "./syntax/read-yaml.ts";
import { checkControls } from "./control-characters.ts";
import { measureValues } from "./measure-values.ts";

export interface ParseOptions {
  /** The target of messages without `re`. */
  target?: string;
}

/** Parses a YAML or JSON text in any form of decision 52 into messages. */
export function parseMessages(text: string, options: ParseOptions = {}): Outcome<Message[]> {
  const documents = readDocuments(text);
  return documents.ok
    ? parseDocuments(documents.value, { length: text.length }, options)
    : documents;
}

/**
 * Parses values that were not read from a text, such as a tool's structured result. The same limits, schemas and rules
 * hold; errors have a path, but no line.
 */
export function parseValues(
  values: readonly Json[],
  options: ParseOptions = {},
  sent?: number,
): Outcome<Message[]> {
  const length = measureValues(values);
  if (!length.ok) return length;
  const documents = values.map((value) => ({ value, ...NO_SOURCE }));
  return parseDocuments(documents, { length: length.value, sent }, options);
}

/** Checks messages that a program built like those of a text, without writing one. */
export function checkMessages(
  inputs: readonly MessageInput[],
  options: ParseOptions = {},
): Outcome<Message[]> {
  const values = inputs.map(({ v, re, blocks }) => ({
    ...defined({ v, re }),
    MESS: blocks.map(({ type, body }) => ({ [type]: body as JsonMap })),
  }));
  // The messages of a payload with several targets share it.
  const sent = new Set(inputs.flatMap(({ blocks }) => blocks.map(({ body }) => body))).size;
  return parseValues(values, options, sent);
}

/** Size of a call: characters, and payloads before expansion to several targets where they are known. */
interface CallSize {
  length: number;
  sent?: number | undefined;
}

function parseDocuments(
  documents: readonly SourceDocument[],
  { length, sent }: CallSize,
  options: ParseOptions,
): Outcome<Message[]> {
  const messages: Message[] = [];
  const errors: { error: BodyError; document: SourceDocument }[] = [];
  let blocks = 0;
  for (const document of documents) {
    const read = readDocument(document.value, options);
    if (read.ok) {
      messages.push(...read.value.messages);
      blocks += read.value.blocks;
    } else errors.push(...read.error.map((error) => ({ error, document })));
  }
  if (errors.length > 0) return fail(refuseBody(errors));
  if (messages.length === 0)
    return refuse(
      "empty_message",
      "the body contains no message",
      "Send at least an intent, such as: what is in the fridge?",
    );
  const error = checkSize(messages, sent ?? blocks, length);
  return error ? fail(error) : ok(messages);
}

interface DocumentMessages {
  messages: Message[];
  /** Number of payloads as sent, before expansion to several targets. */
  blocks: number;
}

function readDocument(
  value: Json,
  { target }: ParseOptions,
): Result<DocumentMessages, readonly BodyError[]> {
  const control = checkControls(value, []);
  if (control) return fail([control]);
  const found = readPayloads(value);
  if (!found.ok) return fail([found.error]);
  const { payloads, v: stated, re: common } = found.value;
  if (payloads.length > LIMITS.blocks)
    return fail([
      {
        code: "too_large",
        message: `more than ${LIMITS.blocks} payloads`,
        hint: "Split the payloads into several calls.",
        path: [],
      },
    ]);
  const errors: BodyError[] = [];
  const collect = <T>(read: Result<T, readonly BodyError[]>): T | undefined => {
    if (!read.ok) errors.push(...read.error);
    return read.ok ? read.value : undefined;
  };
  const v = stated && collect(readVersion(stated));
  const document = common && collect(readTargets(common));
  const targeted = payloads.flatMap((payload) => {
    const one = collect(
      assignTargets(payload, document ?? (target === undefined ? undefined : [target])),
    );
    return one ?? [];
  });
  return errors.length > 0
    ? fail(errors)
    : ok({ messages: groupMessages(targeted, v), blocks: payloads.length });
}

interface TargetedBlock {
  block: Block;
  /** Absent for a request, query and config, which do not continue a thread. */
  re?: readonly string[];
}

/** Determines the targets of a block: its own, else those beside it, else those of the document (decision 1). */
function assignTargets(
  payload: Payload,
  common: string[] | undefined,
): Result<TargetedBlock[], readonly BodyError[]> {
  const { type, raw, path } = payload;
  if (type === "ack")
    return fail([
      {
        code: "wrong_role",
        message: "only the exchange sends ack",
        hint: "Leave the ack out; to take a task, send status: claimed.",
        path,
      },
    ]);
  const read = readBlock(type, raw, path);
  if (!read.ok) return read;
  const { block } = read.value;
  if (type === "request" || type === "query" || type === "config") return ok([{ block }]);
  const siblingTargets = payload.re && readTargets(payload.re);
  if (siblingTargets && !siblingTargets.ok) return siblingTargets;
  const re = read.value.re ?? siblingTargets?.value ?? common;
  if (!re)
    return fail([
      {
        code: "missing_target",
        message: `${type} does not name its thread`,
        hint: "Add re: with the ref from the ack, your own id of the request, or last.",
        path,
      },
    ]);
  if (block.type !== "suggestion") return ok([{ block, re }]);
  const body = { ...block.body, re: block.body.re ?? [...re] };
  return ok([{ block: { type: "suggestion", body }, re: re.slice(0, 1) }]);
}

function readTargets({
  raw,
  path,
}: {
  raw: Json;
  path: Path;
}): Result<string[], readonly BodyError[]> {
  const read = targetsSchema.safeParse(raw);
  return read.success ? ok(read.data) : fail(toBodyErrors(read.error.issues, raw, path));
}

/** Reads the version as text; only the major number is checked (decision 53). */
function readVersion({
  raw,
  path,
}: NonNullable<Payloads["v"]>): Result<string, readonly BodyError[]> {
  const given = typeof raw === "object" ? "" : String(raw);
  const text = given.length > LIMITS.versionChars ? "" : given.trim().replace(/^v/i, "");
  if (/^1(?:\.\d+){0,2}(?:[-+][\w.-]+)?$/.test(text)) return ok(text);
  return fail([
    {
      code: "unsupported_version",
      message: "this exchange supports only version 1 of the protocol",
      hint: "Write v: 1.1.0, or leave v out.",
      path,
    },
  ]);
}

/** Groups blocks: one message for each request, query and config, and one for each target of the others, in order. */
function groupMessages(targeted: readonly TargetedBlock[], v: string | undefined): Message[] {
  const version = v === undefined ? {} : { v };
  const messages: Message[] = [];
  const byTarget = new Map<string, Message>();
  for (const { block, re } of targeted) {
    if (!re) messages.push({ ...version, blocks: [block] });
    for (const target of new Set(re)) {
      const known = byTarget.get(target);
      if (known) known.blocks.push(block);
      else {
        const message: Message = { ...version, re: target, blocks: [block] };
        byTarget.set(target, message);
        messages.push(message);
      }
    }
  }
  return messages;
}
