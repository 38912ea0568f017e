/** Starts a local Slack workspace. */
import { serveLocally } from "./serve.ts";
import { createSlack, type SlackOptions } from "../channels/slack.ts";

/** `act.tap` taps a button, `act.write` writes a message; `messages` holds all messages of the app. */
export async function startSlack(options: Omit<SlackOptions, "api"> = {}) {
  const workspace = createSlack(options);
  const { origin, stop } = await serveLocally(workspace.handle);
  workspace.movedTo(origin);
  return { ...workspace, api: origin, stop };
}
