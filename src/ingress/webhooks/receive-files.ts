/** Stores the files of a chat event before its message is appended. */
import { deleteBlobs, storeBlob } from "../../attachments/blob-store.ts";
import type { RemoteFile } from "../../channels/chat-event.ts";
import type {
  ChatSpeaker,
  InboundReply,
  ReplyResult,
  StagedBlob,
  ThreadRpc,
} from "../../contracts/thread.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ok } from "../../mess/result.ts";

/**
 * Appends a message with files. The first call to the thread refuses a speaker without access, and recognizes a
 * repeated event, before a file is fetched. If the second one throws, the thread may have committed: the blobs stay, and
 * the cleanup deletes unreferenced ones.
 */
export async function receiveWithFiles(
  env: Pick<Env, "BLOBS">,
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
  const stored = await storeFiles(env, speaker.household, files);
  if (!stored.ok) return stored;
  const received = await thread.receiveReply(speaker, { ...reply, files: stored.value });
  if (!received.ok || received.value.isDuplicate) await deleteUnused(env, stored.value);
  return received;
}

/**
 * Stores the files one after the other, since each is held in memory. One failure refuses the whole event, so no
 * partial message is stored.
 */
async function storeFiles(
  env: Pick<Env, "BLOBS">,
  household: string,
  files: readonly RemoteFile[],
): Promise<Outcome<StagedBlob[]>> {
  const blobs: StagedBlob[] = [];
  for (const file of files) {
    const stored = await storeFile(env, household, file);
    if (stored.ok) blobs.push(stored.value);
    else {
      await deleteUnused(env, blobs);
      return stored;
    }
  }
  return ok(blobs);
}

async function storeFile(
  { BLOBS }: Pick<Env, "BLOBS">,
  household: string,
  { name, mime, fetch }: RemoteFile,
): Promise<Outcome<StagedBlob>> {
  const fetched = await fetch();
  if (!fetched.ok) return fetched;
  const { body, ...size } =
    fetched.value instanceof Uint8Array ? { body: fetched.value } : fetched.value;
  const meta = { mime, ...size, original: name };
  const stored = await storeBlob(BLOBS, household, body, meta);
  return !stored.ok && stored.error.code === "bad_attachment" ? refuseBrokenOff() : stored;
}

/** A broken transfer may succeed when the channel repeats the event. */
const refuseBrokenOff = (): Outcome<never> =>
  refuse("internal", "the transfer of a file broke off", "Send it again.");

/** A failure does not fail the call, since the cleanup deletes what remains. */
async function deleteUnused(
  { BLOBS }: Pick<Env, "BLOBS">,
  blobs: readonly StagedBlob[],
): Promise<void> {
  const keys = blobs.map(({ key }) => key);
  if (keys.length > 0) await deleteBlobs(BLOBS, keys).catch(() => undefined);
}
