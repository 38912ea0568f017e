/** A Slack workspace on a port of this machine. */
import { serveLocally } from "./serve.ts";
import { createSlack, type SlackOptions } from "./slack.ts";

/** `act.tap` is a person at a button, `act.write` one who answers; `messages` is all that the app has posted. */
export async function startSlack(options: Omit<SlackOptions, "api"> = {}) {
  const workspace = createSlack(options);
  const { origin, stop } = await serveLocally(workspace.handle);
  workspace.movedTo(origin);
  return { ...workspace, api: origin, stop };
}
