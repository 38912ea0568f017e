/** What a thread keeps of a conversation in a channel, so that two of the same course can be compared. */
import type { Caller } from "../support.ts";

/**
 * What was said by the channel, and how the thread stands, with its ref and all times left out.
 * @param members ids for which it does not matter which of them it was
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
