/**
 * Fetches and stores files from a robot's own host before its message is appended, since such URLs may expire soon.
 * URLs of other hosts stay links.
 */
import type { CallbackCaller } from "../../auth/callbacks/callback-caller.ts";
import { buildCallKey } from "../../auth/call-key.ts";
import { hashSha256 } from "../../auth/hash.ts";
import { getConfig } from "../../config.ts";
import { createEgress } from "../../egress/egress-fetch.ts";
import { stageFile } from "../../exchange/files/stage-upload.ts";
import { withThread } from "../../exchange/with-thread.ts";
import { mapMedia } from "../../mess/wire/content/content.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { isMap, type Json } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import type { Message } from "../../mess/wire/schema.ts";

/** Maximum bytes of one file, and maximum files per call. */
const MAX_FILE_BYTES = 25 * 1024 * 1024;
const MAX_FILES = 8;

const readUri = (value: Json): string | undefined => {
  const uri = isMap(value) ? value["uri"] : value;
  return typeof uri === "string" ? uri : undefined;
};

/**
 * Returns the messages with their files stored and named; unchanged if there is nothing to fetch.
 * @param key the call's `Idempotency-Key`
 */
export async function fetchFiles(
  env: Env,
  caller: CallbackCaller,
  messages: readonly Message[],
  key: string | undefined,
): Promise<Outcome<readonly Message[]>> {
  const isOwn = (uri: string): boolean =>
    URL.canParse(uri) && caller.origins.includes(new URL(uri).origin);
  const found = messages.map((message) => listFileUris(message).filter(isOwn));
  const count = found.flat().length;
  if (count === 0) return ok(messages);
  if (count > MAX_FILES)
    return refuse(
      "too_many",
      `more than ${MAX_FILES} files to be fetched`,
      "Send the other files in further messages, or upload them.",
    );
  const withFiles: Message[] = [];
  for (const [index, message] of messages.entries()) {
    const stored = await fetchAndStore(env, caller, message, found[index]!, {
      key,
      index,
    });
    if (!stored.ok) return stored;
    withFiles.push(replaceUris(message, stored.value));
  }
  return ok(withFiles);
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
  return await withThread(env, principal, message.re ?? "", { key }, async ({ stub, ref }) => {
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
      const staged = await stageFile(env, principal, stub, about);
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
