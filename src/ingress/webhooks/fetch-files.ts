/**
 * Files that a robot leaves at its own address: fetched and stored before its message is appended, since the address
 * may be good for an hour. Addresses of others stay links.
 */
import type { CallbackCaller } from "../../auth/callbacks/callback-caller.ts";
import { sha256 } from "../../auth/hash.ts";
import { getConfig } from "../../config.ts";
import { createEgress } from "../../egress/egress-fetch.ts";
import type { RawMessage } from "../../exchange/exchange.ts";
import { stageFile } from "../../exchange/stage-upload.ts";
import { withThread } from "../../exchange/with-thread.ts";
import { buildCallKey } from "../../exchange/append-message.ts";
import { mapMedia } from "../../mess/wire/content.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { messageToMess } from "../../mess/wire/message.ts";
import { parseMessages } from "../../mess/wire/parse.ts";
import { ok } from "../../mess/result.ts";
import type { Message } from "../../mess/wire/schema.ts";
import { writeDocuments } from "../../mess/wire/serialize.ts";

/** Bytes of one file, and files of one call. */
const MAX_FILE_BYTES = 25 * 1024 * 1024;
const MAX_FILES = 8;

const readUri = (value: Json): string | undefined => {
  const uri = isMap(value) ? value["uri"] : value;
  return typeof uri === "string" ? uri : undefined;
};

/** The call with its files stored and named; as it was where nothing in it is to be fetched. */
export async function fetchFiles(
  env: Env,
  caller: CallbackCaller,
  raw: RawMessage,
): Promise<Outcome<RawMessage>> {
  const parsed = parseMessages(raw.text, raw.target === undefined ? {} : { target: raw.target });
  // What is wrong with it is told where it is taken.
  if (!parsed.ok) return ok(raw);
  const isOwn = (uri: string): boolean =>
    URL.canParse(uri) && caller.origins.includes(new URL(uri).origin);
  const found = parsed.value.map((message) => listFileUris(message).filter(isOwn));
  const count = found.flat().length;
  if (count === 0) return ok(raw);
  if (count > MAX_FILES)
    return refuse(
      "too_many",
      `more than ${MAX_FILES} files to be fetched`,
      "Send the others in messages of their own, or upload them.",
    );
  const documents: JsonMap[] = [];
  for (const [index, message] of parsed.value.entries()) {
    const named = await fetchAndStore(env, caller, message, found[index]!, {
      key: raw.key,
      index,
    });
    if (!named.ok) return named;
    const { re } = message;
    const whole = replaceUris(message, named.value);
    documents.push({ ...(re === undefined ? {} : { re }), MESS: messageToMess(whole) });
  }
  return ok({ ...raw, text: writeDocuments(documents) });
}

/** Only answers hold files that are work done. */
function listFileUris(message: Message): string[] {
  const uris = new Set<string>();
  const responses = message.blocks.filter(({ type }) => type === "response");
  mapMedia({ ...message, blocks: responses }, (value) => {
    const uri = readUri(value);
    if (uri !== undefined) uris.add(uri);
    return value;
  });
  return [...uris];
}

const replaceUris = (message: Message, tokens: ReadonlyMap<string, string>): Message =>
  mapMedia(message, (value) => {
    const token = tokens.get(readUri(value) ?? "");
    if (token === undefined) return value;
    const { uri: _uri, ...details } = isMap(value) ? value : {};
    return { ...details, file: token };
  });

/**
 * Fetches each file once and lets the thread remember it. A call that was taken before fetches nothing: its files have
 * the names that they had.
 */
async function fetchAndStore(
  env: Env,
  { principal }: CallbackCaller,
  message: Message,
  uris: readonly string[],
  { key, index }: { key: string | undefined; index: number },
): Promise<Outcome<Map<string, string>>> {
  const tokens = new Map<string, string>();
  if (uris.length === 0) return ok(tokens);
  const { loopback, origin } = getConfig(env);
  const egress = createEgress({ loopback, origin });
  return await withThread(env, principal, message.re ?? "", key, async ({ stub, ref }) => {
    const before =
      key === undefined
        ? ok(null)
        : await stub.findReceipt(principal, buildCallKey(principal, index, key));
    if (!before.ok) return before;
    for (const uri of uris) {
      const call = key ?? crypto.randomUUID();
      const id = (await sha256([principal.household, ref, call, index, uri].join(" "))).slice(
        0,
        32,
      );
      tokens.set(uri, `upload-${id}`);
      if (before.value) continue;
      const file = await egress.fetch(uri, { headers: { Accept: "*/*" } }, MAX_FILE_BYTES);
      if (!file.ok) return refuseNotFetched(file.error.message);
      const { bytes, mime } = file.value;
      const about = {
        body: bytes,
        mime: mime.split(";")[0]!.trim(),
        original: getFileName(uri),
        id,
      };
      const staged = await stageFile(env, principal, stub, { ...about, stripLocation: true });
      // A camera gives another picture at each try: the one that was kept first stays.
      if (!staged.ok && staged.error.code !== "idempotency_conflict") return staged;
    }
    return ok(tokens);
  });
}

const refuseNotFetched = (reason: string): Outcome<never> =>
  refuse(
    "unknown_attachment",
    `a file of the response could not be fetched: ${reason}`,
    "Send the message again when the file can be fetched, or send the file with it as multipart/form-data.",
  );

/** The last part of the path, as the name under which the file is kept. */
function getFileName(uri: string): string {
  const last = new URL(uri).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last) || "file";
  } catch {
    return last;
  }
}
