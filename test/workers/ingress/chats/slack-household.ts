/** A test household that notifies Ann and Ben by Slack. */
import { PNG } from "../../../support/media/png.ts";
import { createSlack, type SlackWriting } from "../../../support/channels/slack.ts";
import type { SlackMessage } from "../../../support/channels/slack-workspace.ts";
import { createFreshHousehold, ORIGIN, sendRequest } from "../../support.ts";
import { createChatHousehold } from "./chat-household.ts";
import { reachOutside } from "../local-services.ts";

export const ANN = "U04ANN";
export const BEN = "U04BEN";

export const buildPhoto = (name = "fridge.png") => ({ name, type: "image/png", bytes: PNG });

export async function createSlackHousehold() {
  const fresh = await createFreshHousehold();
  const hook = `${ORIGIN}/hooks/slack/${fresh.id}`;
  const workspace = createSlack({
    hook,
    channels: ["C04HOME"],
    deliver: async (request) => await sendRequest(request.url.slice(ORIGIN.length), request),
  });
  reachOutside({ "https://slack.com": workspace.handle });
  const { api: _, ...settings } = workspace.settings();
  const listSentTo = (user: string): SlackMessage[] =>
    workspace.messages.filter(({ channel, only }) => channel === `D${user.slice(1)}` && !only);
  const home = await createChatHousehold(fresh, {
    channel: "slack",
    settings,
    ann: ANN,
    ben: BEN,
    sentToAnn: () => listSentTo(ANN),
  });
  const write = async (writing: Partial<SlackWriting>): Promise<Response> =>
    await workspace.act.write({ user: ANN, ...writing });
  return { ...home, hook, workspace, listSentTo, write };
}
