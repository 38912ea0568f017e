/** The bytes that come with a message: stored before it is appended, dropped when it is refused. */
import { dropBlobs, storeBase64, storeBlob } from "../attachments/blob-store.ts";
import { fileTokens, type InlineData, takeInline } from "../mess/wire/content.ts";
import { sha256 } from "../auth/hash.ts";
import type { Principal } from "../auth/principal.ts";
import type { Outcome } from "../mess/errors.ts";
import { canonicalJson } from "../mess/json.ts";
import type { Message } from "../mess/wire/schema.ts";
import type { StagedBlob } from "../contracts/thread.ts";
import type { Stores } from "./with-thread.ts";

/** A file sent beside the message, under the name that the message uses for it. */
export interface SentFile {
  name: string;
  mime: string;
  body: Uint8Array;
  size: number;
}

export interface WithBlobs {
  message: Message;
  blobs: StagedBlob[];
}

/** What came of it, and which of the messages now own their blobs. */
export interface Used<T> {
  outcome: Outcome<T>;
  used: readonly boolean[];
}

/**
 * Stores the messages' inline data above 4 KB (decision 60) and the sent files that they name, runs `act` with
 * the rest, and drops the blobs of every message that `act` did not use. Where `act` throws, nobody knows
 * whether an object had committed: the blobs stay, and those that nothing refers to are swept. Photos that come by a
 * link are stored without the place where they were taken; who wants to tell it uploads them first.
 */
export async function withBlobs<T>(
  env: Pick<Stores, "BLOBS">,
  sender: Pick<Principal, "household" | "scope">,
  originals: readonly Message[],
  files: readonly SentFile[],
  act: (stored: readonly WithBlobs[]) => Promise<Used<T>>,
): Promise<Outcome<T>> {
  const stored: WithBlobs[] = [];
  for (const original of originals) {
    const { message, inline } = takeInline(original, () => `upload-${crypto.randomUUID()}`);
    const blobs: StagedBlob[] = [];
    stored.push({ message, blobs });
    const fault = await storeAll(env, sender, inline, filesOf(message, files), blobs);
    if (!fault) continue;
    await drop(env, stored);
    return fault;
  }
  const { outcome, used } = await act(stored);
  await drop(
    env,
    stored.filter((_, index) => !used[index]),
  );
  return outcome;
}

/** Best effort: what could not be dropped now is swept later, and no answer waits for it. */
async function drop(env: Pick<Stores, "BLOBS">, unused: readonly WithBlobs[]): Promise<void> {
  const keys = unused.flatMap(({ blobs }) => blobs).map(({ key }) => key);
  if (keys.length > 0) await dropBlobs(env.BLOBS, keys).catch(() => undefined);
}

function filesOf(message: Message, files: readonly SentFile[]): SentFile[] {
  const named = new Set(fileTokens(message));
  return files.filter(({ name }) => named.has(name));
}

/** Adds to `blobs` as it goes, so that a refusal half-way leaves none behind. */
async function storeAll(
  env: Pick<Stores, "BLOBS">,
  { household, scope }: Pick<Principal, "household" | "scope">,
  inline: readonly InlineData[],
  files: readonly SentFile[],
  blobs: StagedBlob[],
): Promise<Outcome<never> | undefined> {
  const hidePlace = scope !== undefined;
  for (const data of inline) {
    const stored = await storeBase64(env.BLOBS, household, data, hidePlace);
    if (!stored.ok) return stored;
    blobs.push(stored.value);
  }
  for (const { name, mime, size, body } of files) {
    const stored = await storeBlob(env.BLOBS, household, body, {
      mime,
      size,
      original: name,
      hidePlace,
    });
    if (!stored.ok) return stored;
    blobs.push({ ...stored.value, token: name });
  }
  return undefined;
}

/**
 * What makes two messages the same: SHA-256, in hex, over the message and the bytes of the files that it names.
 * @param said the message as its sender meant it, or the part of it that counts.
 */
export async function digestOf(
  said: unknown,
  message: Message,
  files: readonly SentFile[],
): Promise<string> {
  const digests = await Promise.all(
    filesOf(message, files).map(async ({ name, body }) => [name, await sha256(body)]),
  );
  const whole = digests.length > 0 ? [said, digests] : said;
  return await sha256(canonicalJson(whole));
}
