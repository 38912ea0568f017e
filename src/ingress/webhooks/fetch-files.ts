/**
 * Fetches and stores files from a robot's own host before its message is appended, since such URLs may expire soon.
 * URLs of other hosts stay links.
 */
import type { CallbackCaller } from "../../auth/callbacks/callback-caller.ts";
import { hashSha256 } from "../../auth/hash.ts";
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

/** Maximum bytes of one file, and maximum files per call. */
const MAX_FILE_BYTES = 25 * 1024 * 1024;
const MAX_FILES = 8;

const readUri = (value: Json): string | undefined => {
  const uri = isMap(value) ? value["uri"] : value;
  return typeof uri === "string" ? uri : undefined;
};

/** Returns the call with its files stored and named; unchanged if there is nothing to fetch. */
export async function fetchFiles(
  env: Env,
  caller: CallbackCaller,
  raw: RawMessage,
): Promise<Outcome<RawMessage>> {
  const parsed = parseMessages(raw.text, raw.target === undefined ? {} : { target: raw.target });
  // Invalid messages are refused later, when they are appended.
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
      "Send the other files in further messages, or upload them.",
    );
  const documents: JsonMap[] = [];
  for (const [index, message] of parsed.value.entries()) {
    const stored = await fetchAndStore(env, caller, message, found[index]!, {
      key: raw.key,
      index,
    });
    if (!stored.ok) return stored;
    const { re } = message;
    const storedMessage = replaceUris(message, stored.value);
    documents.push({ ...(re === undefined ? {} : { re }), MESS: messageToMess(storedMessage) });
  }
  return ok({ ...raw, text: writeDocuments(documents) });
}

/** Only responses have files that are results of the work. */
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
 * Fetches each file once and registers it in the thread. A repeated call fetches nothing and reuses the stored names.
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
      const id = (await hashSha256([principal.household, ref, call, index, uri].join(" "))).slice(
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
      // A camera URL returns another picture each time, so keep the one stored first.
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

/** The last segment of the path, used as the name of the stored file. */
function getFileName(uri: string): string {
  const last = new URL(uri).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last) || "file";
  } catch {
    return last;
  }
}
