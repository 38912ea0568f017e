/** A test household with one chat channel, by which Ann (capability look) and Ben (capability carry) are notified. */
import { expect } from "vitest";
import { type Answered, waitUntil, expectOkJson, type TestHousehold } from "../../support.ts";

export interface ChatHouseholdOptions<M> {
  readonly channel: "slack" | "telegram";
  readonly settings: object;
  /** The members' addresses in the channel. */
  readonly ann: string | number;
  readonly ben: string | number;
  /** The messages to Ann, oldest first. */
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
  /** Gives Ben the capability look too, so that both are candidates. */
  const configureBoth = async () =>
    await expectOkJson(
      await home.owner.postBlocks({
        config: { executor: { id: "ben", name: "Ben", capabilities: look, ...toBen } },
      }),
    );
  /** Creates a thread; resolves with the message of the offer to Ann when it has arrived. */
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
  /** The types of the blocks that arrived by the channel, in order. */
  const listMessagesIn = async (ref: string): Promise<string[]> =>
    (await readThread(ref)).messages
      .filter((message: { channel?: string }) => message.channel === channel)
      .flatMap(({ MESS }: { MESS: object[] }) => MESS.flatMap((block) => Object.keys(block)));
  return { ...home, configureBoth, askLook, readThread, readStatus, listMessagesIn };
}
