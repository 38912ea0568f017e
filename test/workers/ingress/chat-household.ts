/** What the households of chats share: Ann looks, Ben carries, and both are reached by that one channel. */
import { expect } from "vitest";
import { type Answered, waitUntil, expectOkJson, type TestHousehold } from "../support.ts";

export interface ChatHouseholdOptions<M> {
  readonly channel: "slack" | "telegram";
  readonly settings: object;
  /** Their addresses in it. */
  readonly ann: string | number;
  readonly ben: string | number;
  /** What Ann was sent, oldest first. */
  readonly sentToAnn: () => readonly M[];
}

export async function createChatHousehold<M extends { readonly text: string }>(
  home: TestHousehold,
  { channel, settings, ann, ben, sentToAnn }: ChatHouseholdOptions<M>,
) {
  const look = ["look"];
  const toAnn = { notify: { [channel]: ann } };
  const toBen = { notify: { [channel]: ben } };
  await expectOkJson(
    await home.owner.postBlocks(
      { config: { dispatch: { [channel]: settings } } },
      { config: { executor: { id: "ann", name: "Ann", capabilities: look, ...toAnn } } },
      { config: { executor: { id: "ben", capabilities: ["carry"], ...toBen } } },
    ),
  );
  /** Lets Ben look too, so that both are asked. */
  const configureBoth = async () =>
    await expectOkJson(
      await home.owner.postBlocks({
        config: { executor: { id: "ben", name: "Ben", capabilities: look, ...toBen } },
      }),
    );
  /** Asks, and resolves when Ann was told and the household knows of it. */
  const askLook = async (intent: string, more: object = {}) => {
    const before = sentToAnn().length;
    const ref = await home.agent.createThread(intent, { requires: look, ...more });
    const message = await waitUntil(async () => {
      const found = sentToAnn()
        .slice(before)
        .find(({ text }) => text.includes(intent));
      expect(found).toBeDefined();
      return found!;
    });
    return { ref, message };
  };
  const readThread = async (ref: string): Promise<Answered> =>
    await home.agent.read(`/mess/${ref}`);
  const readStatus = async (ref: string): Promise<string> =>
    (await readThread(ref)).envelope.status as string;
  /** What came in by the channel, in order: the types of its blocks. */
  const listMessagesIn = async (ref: string): Promise<string[]> =>
    (await readThread(ref)).messages
      .filter((message: { channel?: string }) => message.channel === channel)
      .flatMap(({ MESS }: { MESS: object[] }) => MESS.flatMap((block) => Object.keys(block)));
  return { ...home, configureBoth, askLook, readThread, readStatus, listMessagesIn };
}
