/** Takes snapshots of threads, to compare two that had the same conversation. */
import type { Caller } from "../support.ts";

/**
 * Returns the thread's status and its messages from the channel, with placeholders for its ref and all times.
 * @param members ids that are replaced by the same placeholder
 */
export async function snapshotThread(
  agent: Caller,
  ref: string,
  channel: string,
  members: readonly string[] = [],
): Promise<string> {
  const { envelope, messages, attachments } = await agent.read(`/mess/${ref}`);
  const texts = messages
    .filter((message: { channel?: string }) => message.channel === channel)
    .map(({ MESS }: { MESS: unknown }) => MESS);
  const whole = JSON.stringify({ status: envelope.status, said: texts, files: attachments.length })
    .replaceAll(ref, "REF")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.+Z-]+/g, "TIME");
  return members.reduce((text, one) => text.replaceAll(`"${one}"`, '"MEMBER"'), whole);
}
