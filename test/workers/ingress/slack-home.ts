/** A household that reaches Ann and Ben by Slack. */
import { expect } from "vitest";
import { slack, type SlackMessage, type SlackWriting } from "../../support/slack.ts";
import { type Answered, eventually, expectOk, freshHousehold, ORIGIN, send } from "../support.ts";
import { reachOutside } from "./outside.ts";

export const ANN = "U04ANN";
export const BEN = "U04BEN";

export async function slackHome() {
  const home = await freshHousehold();
  const hook = `${ORIGIN}/hooks/slack/${home.id}`;
  const workspace = slack({
    hook,
    channels: ["C04HOME"],
    deliver: async (request) => await send(request.url.slice(ORIGIN.length), request),
  });
  reachOutside({ "https://slack.com": workspace.handle });
  const { api: _, ...settings } = workspace.settings();
  const look = ["look"];
  await expectOk(
    await home.owner.say(
      { config: { dispatch: { slack: settings } } },
      {
        config: {
          executor: { id: "ann", name: "Ann", capabilities: look, notify: { slack: ANN } },
        },
      },
      { config: { executor: { id: "ben", capabilities: ["carry"], notify: { slack: BEN } } } },
    ),
  );
  /** Lets Ben look too, so that both are asked. */
  const both = async () =>
    await expectOk(
      await home.owner.say({
        config: {
          executor: { id: "ben", name: "Ben", capabilities: look, notify: { slack: BEN } },
        },
      }),
    );
  const sentTo = (user: string): SlackMessage[] =>
    workspace.messages.filter(({ channel, only }) => channel === `D${user.slice(1)}` && !only);
  /** Asks, and resolves when Ann was told and the household knows of it. */
  const ask = async (intent: string, more: object = {}) => {
    const before = sentTo(ANN).length;
    const ref = await home.agent.ask(intent, { requires: look, ...more });
    const message = await eventually(async () => {
      const found = sentTo(ANN)
        .slice(before)
        .find(({ text }) => text.includes(intent));
      expect(found).toBeDefined();
      return found!;
    });
    return { ref, message };
  };
  const threadOf = async (ref: string): Promise<Answered> => await home.agent.read(`/mess/${ref}`);
  const statusOf = async (ref: string): Promise<string> =>
    (await threadOf(ref)).envelope.status as string;
  /** What came in by Slack, in order: the types of its blocks. */
  const saidIn = async (ref: string): Promise<string[]> =>
    (await threadOf(ref)).messages
      .filter(({ channel }: { channel?: string }) => channel === "slack")
      .flatMap(({ MESS }: { MESS: object[] }) => MESS.flatMap((block) => Object.keys(block)));
  const write = async (writing: Partial<SlackWriting>): Promise<Response> =>
    await workspace.act.write({ user: ANN, ...writing });
  return {
    ...home,
    hook,
    workspace,
    both,
    sentTo,
    askLook: ask,
    threadOf,
    statusOf,
    saidIn,
    write,
  };
}
