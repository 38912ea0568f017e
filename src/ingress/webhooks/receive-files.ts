/** Stores the files of a chat event before its message is appended. */
import { deleteBlobs, storeBlob } from "../../attachments/blob-store.ts";
import type { RemoteFile } from "../../channels/chat-event.ts";
import type { ChatSpeaker, InboundReply, ReplyResult, ThreadRpc } from "../../contracts/thread.ts";
import type { StagedBlob } from "../../contracts/thread-uploads.ts";
import { releaseFiles, reserveFiles } from "../../exchange/files/reserve-files.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ok } from "../../mess/result.ts";

type StorageBindings = Pick<Env, "BLOBS" | "HOUSEHOLDS">;

/**
 * Appends a message with files. The first call to the thread refuses a speaker without access, and recognizes a
 * repeated event, before a file is fetched. If the second one throws, the thread may have committed: the blobs stay, and
 * the cleanup deletes unreferenced ones.
 */
export async function receiveWithFiles(
  env: StorageBindings,
  thread: Pick<ThreadRpc, "findReply" | "receiveReply">,
  speaker: ChatSpeaker,
  reply: Omit<InboundReply, "files">,
  files: readonly RemoteFile[],
): Promise<Outcome<ReplyResult>> {
  const before = await thread.findReply(speaker, reply);
  if (!before.ok) return before;
  if (before.value) return ok(before.value);
  if (files.length > LIMITS.attachmentsPerMessage)
    return refuse(
      "too_many",
      `more than ${LIMITS.attachmentsPerMessage} files`,
      "Send them in several messages.",
    );
  const stored = await storeFiles(env, speaker, files);
  if (!stored.ok) return stored;
  const received = await thread.receiveReply(speaker, { ...reply, files: stored.value });
  if (!received.ok || received.value.isDuplicate) await deleteUnused(env, speaker, stored.value);
  return received;
}

/**
 * Stores the files one after the other, since each is held in memory. One failure refuses the whole event, so no
 * partial message is stored.
 */
async function storeFiles(
  env: StorageBindings,
  speaker: ChatSpeaker,
  files: readonly RemoteFile[],
): Promise<Outcome<StagedBlob[]>> {
  const blobs: StagedBlob[] = [];
  for (const file of files) {
    const stored = await storeFile(env, speaker, file);
    if (stored.ok) blobs.push(stored.value);
    else {
      await deleteUnused(env, speaker, blobs);
      return stored;
    }
  }
  return ok(blobs);
}

async function storeFile(
  env: StorageBindings,
  speaker: ChatSpeaker,
  { name, mime, fetch }: RemoteFile,
): Promise<Outcome<StagedBlob>> {
  const fetched = await fetch();
  if (!fetched.ok) return fetched;
  const { body, size } =
    fetched.value instanceof Uint8Array
      ? { body: fetched.value, size: fetched.value.length }
      : fetched.value;
  const reserved = await reserveFiles(env, speaker, [size]);
  if (!reserved.ok) return reserved;
  const stored = await storeBlob(env.BLOBS, speaker.household, body, {
    mime,
    size,
    original: name,
  });
  if (!stored.ok) await releaseFiles(env, speaker, [size]);
  return !stored.ok && stored.error.code === "bad_attachment" ? refuseBrokenOff() : stored;
}

/** A broken transfer may succeed when the channel repeats the event. */
const refuseBrokenOff = (): Outcome<never> =>
  refuse("internal", "the transfer of a file broke off", "Send it again.");

/** A failure does not fail the call, since the cleanup deletes what remains. */
async function deleteUnused(
  env: StorageBindings,
  speaker: ChatSpeaker,
  blobs: readonly StagedBlob[],
): Promise<void> {
  const keys = blobs.map(({ key }) => key);
  if (keys.length > 0) await deleteBlobs(env.BLOBS, keys).catch(() => undefined);
  await releaseFiles(
    env,
    speaker,
    blobs.map(({ size }) => size),
  );
}
