/** Files of a message: stored before the message is appended, deleted when it is refused. */
import { deleteBlobs, storeBase64, storeBlob } from "../../attachments/blob-store.ts";
import { copyLinkedUpload } from "../../attachments/linked-uploads.ts";
import {
  listFileTokens,
  type InlineData,
  extractInlineData,
} from "../../mess/wire/content/content.ts";
import { ok } from "../../mess/result.ts";
import { releaseFiles } from "./reserve-files.ts";
import { hashSha256 } from "../../auth/hash.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Outcome } from "../../mess/errors.ts";
import { toCanonicalJson } from "../../mess/json.ts";
import type { Message } from "../../mess/wire/schema.ts";
import type { StagedBlob } from "../../contracts/thread-uploads.ts";
import { type MessageWithUploads, refuseMissingUpload } from "./adopt-uploads.ts";
import { stripInlineMetadata } from "./strip-inline-metadata.ts";
import type { ExchangeBindings } from "../with-thread.ts";

/** A file sent beside the message, under the name that the message uses for it. */
export interface SentFile {
  name: string;
  mime: string;
  body: Uint8Array;
  size: number;
}

export interface MessageWithBlobs {
  message: Message;
  blobs: StagedBlob[];
}

/** Counts files before they are stored; the value says whether they count at all. */
export type ReserveSizes = (sizes: readonly number[]) => Promise<Outcome<boolean>>;

/** The outcome, and for each message whether a thread now refers to its blobs. */
export interface UsedBlobs<T> {
  outcome: Outcome<T>;
  used: readonly boolean[];
}

/**
 * Stores inline data above 4 KB (decision 60) and the files that the messages name, copies their uploads, runs `work`, and deletes the blobs
 * of messages that `work` did not use. If `work` throws, an object may have committed: the blobs stay, and the cleanup
 * deletes unreferenced ones. Location and other metadata are removed from photos and videos.
 */
export async function withStoredBlobs<T>(
  env: Pick<ExchangeBindings, "BLOBS" | "HOUSEHOLDS">,
  sender: Pick<Principal, "household" | "actor">,
  originals: readonly MessageWithUploads[],
  files: readonly SentFile[],
  reserve: ReserveSizes | undefined,
  work: (stored: readonly MessageWithBlobs[]) => Promise<UsedBlobs<T>>,
): Promise<Outcome<T>> {
  const extracted = originals.map(({ message, uploads }) => ({
    ...extractInlineData(message, () => `upload-${crypto.randomUUID()}`),
    uploads,
  }));
  const sizes = extracted.map(({ message, inline, uploads }) => [
    ...inline.map(({ size }) => size),
    ...findFiles(message, files).map(({ size }) => size),
    ...uploads.map(({ size }) => size),
  ]);
  const isAny = sizes.some(({ length }) => length > 0);
  const reserved = reserve && isAny ? await reserve(sizes.flat()) : ok(false);
  if (!reserved.ok) return reserved;
  const release = async (indexes: readonly number[]) => {
    if (reserved.value)
      await releaseFiles(
        env,
        sender,
        indexes.flatMap((index) => sizes[index] ?? []),
      );
  };
  const stored: MessageWithBlobs[] = [];
  for (const { message: withoutData, inline, uploads } of extracted) {
    const message = await stripInlineMetadata(withoutData);
    const blobs: StagedBlob[] = [];
    stored.push({ message, blobs });
    const error =
      (await storeAll(env, sender, inline, findFiles(message, files), blobs)) ??
      (await copyAll(env, sender, uploads, blobs));
    if (!error) continue;
    await deleteUnused(env, stored);
    await release([...sizes.keys()]);
    return error;
  }
  const { outcome, used } = await work(stored);
  const unused = [...stored.keys()].filter((index) => !used[index]);
  await deleteUnused(
    env,
    unused.map((index) => stored[index]!),
  );
  await release(unused);
  return outcome;
}

/** Deletes unused blobs. A failure does not fail the call, since the cleanup deletes what remains. */
async function deleteUnused(
  env: Pick<ExchangeBindings, "BLOBS">,
  unused: readonly MessageWithBlobs[],
): Promise<void> {
  const keys = unused.flatMap(({ blobs }) => blobs).map(({ key }) => key);
  if (keys.length > 0) await deleteBlobs(env.BLOBS, keys).catch(() => undefined);
}

function findFiles(message: Message, files: readonly SentFile[]): SentFile[] {
  const tokens = new Set(listFileTokens(message));
  return files.filter(({ name }) => tokens.has(name));
}

/** Stores all files. Adds to `blobs` continuously, so that the caller can delete them after an error. */
async function storeAll(
  env: Pick<ExchangeBindings, "BLOBS">,
  { household }: Pick<Principal, "household">,
  inline: readonly InlineData[],
  files: readonly SentFile[],
  blobs: StagedBlob[],
): Promise<Outcome<never> | undefined> {
  for (const data of inline) {
    const stored = await storeBase64(env.BLOBS, household, data);
    if (!stored.ok) return stored;
    blobs.push(stored.value);
  }
  for (const { name, mime, size, body } of files) {
    const stored = await storeBlob(env.BLOBS, household, body, {
      mime,
      size,
      original: name,
    });
    if (!stored.ok) return stored;
    blobs.push({ ...stored.value, token: name });
  }
  return undefined;
}

/** Copies the uploads for the thread of the message. Adds to `blobs` as `storeAll` does. */
async function copyAll(
  env: Pick<ExchangeBindings, "BLOBS">,
  { household }: Pick<Principal, "household">,
  uploads: readonly StagedBlob[],
  blobs: StagedBlob[],
): Promise<Outcome<never> | undefined> {
  for (const upload of uploads) {
    const copy = await copyLinkedUpload(env.BLOBS, household, upload);
    if (!copy) return refuseMissingUpload();
    blobs.push(copy);
  }
  return undefined;
}

/**
 * Computes a digest that is equal for equal messages: SHA-256 in hex over the content and the bytes of its files.
 * @param content the message as sent, or the part of it to compare
 */
export async function computeDigest(
  content: unknown,
  message: Message,
  files: readonly SentFile[],
): Promise<string> {
  const digests = await Promise.all(
    findFiles(message, files).map(async ({ name, body }) => [name, await hashSha256(body)]),
  );
  const digestedValue = digests.length > 0 ? [content, digests] : content;
  return await hashSha256(toCanonicalJson(digestedValue));
}
