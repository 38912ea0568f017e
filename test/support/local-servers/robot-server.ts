/** Starts a local robot. */
import { createRobot, type RobotOptions } from "../channels/robot.ts";
import { serveLocally } from "./serve.ts";

/** `hook` is the address for `notify: {webhook: …}`. */
export async function startRobot(options: RobotOptions) {
  const made = createRobot(options);
  const { origin, stop } = await serveLocally(made.handle);
  return { ...made, origin, hook: `${origin}/hook`, stop };
}
