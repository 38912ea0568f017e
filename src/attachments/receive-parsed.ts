/** The one path of messages into a source: their bytes are counted and stored first, then the messages refer to them. */
import type { QuotasRpc } from "../contracts/quotas.ts";
import type { IncomingSourceMessage, ReceivedMessage } from "../contracts/sources.ts";
import type { Outcome } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { deleteMessageBytes, type MessageBytes, storeMessageBytes } from "./message-bytes.ts";

/** A message before its bytes are in R2. */
export type ParsedBytes = Omit<IncomingSourceMessage, keyof MessageBytes> & MessageBytes;

export interface ParsedTarget<Received> {
  bucket: R2Bucket;
  household: string;
  /** Name of the source. */
  source: string;
  quotas: Pick<QuotasRpc, "reserveFiles" | "releaseFiles">;
  /** Calls `receive` of the source; null where nothing was stored, as after a refusal. */
  receive: (messages: IncomingSourceMessage[]) => Promise<Outcome<Received>>;
}

/** Files of sources count by their bytes only: how many a stranger attaches is not the household's choice. */
const FILES_COUNTED = 0;

/**
 * Refuses with `storage_full` or `rate_limited` before a byte is stored, and as the source does. Nothing is left behind
 * then. A rejection may leave bytes, which the cleanup deletes, since the messages may have been stored.
 */
export async function receiveParsed<Received extends ReceivedMessage[] | null>(
  { bucket, household, source, quotas, receive }: ParsedTarget<Received>,
  messages: readonly ParsedBytes[],
): Promise<Outcome<Received>> {
  const bytes = messages.reduce((sum, message) => sum + countBytes(message), 0);
  const counted = { actor: `msg/${source}`, files: FILES_COUNTED, bytes };
  const reserved = bytes === 0 ? ok(true) : await quotas.reserveFiles(counted);
  if (!reserved.ok) return reserved;
  const stored: IncomingSourceMessage[] = [];
  for (const message of messages) stored.push(await storeMessageBytes(bucket, household, message));
  const received = await receive(stored);
  if (!received.ok || received.value === null) {
    for (const message of stored) await deleteMessageBytes(bucket, message);
    if (bytes > 0) await quotas.releaseFiles(counted).catch(() => undefined);
  }
  return received;
}

const countBytes = ({ raw, attachments }: MessageBytes): number =>
  attachments.reduce((sum, file) => sum + file.bytes.byteLength, raw?.bytes.byteLength ?? 0);
