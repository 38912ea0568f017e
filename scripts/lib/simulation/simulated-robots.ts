/** Simulated robots behind signed webhooks: they claim, ask, report progress, break down, or finish. */
import type { startRobot } from "../../../test/support/robot-server.ts";
import { createRandom, type SimulatedRobot } from "./scenario.ts";
import { sleepFor } from "./simulated-people.ts";

export type RunningRobot = Awaited<ReturnType<typeof startRobot>>;

const POLL_MS = 40;

/** Plays the robot until the signal is aborted. */
export async function runRobot(
  machine: SimulatedRobot,
  robot: RunningRobot,
  seed: number,
  signal: AbortSignal,
): Promise<void> {
  const met = new Set<string>();
  const busy: Promise<void>[] = [];
  while (!signal.aborted) {
    for (const { ref, event } of robot.hooks) {
      if (event !== "task.offered" || met.has(ref)) continue;
      met.add(ref);
      busy.push(runTask(machine, robot, seed, ref, signal));
    }
    await sleepFor(POLL_MS, signal);
  }
  await Promise.all(busy);
}

async function runTask(
  { id, behavior }: SimulatedRobot,
  robot: RunningRobot,
  seed: number,
  ref: string,
  signal: AbortSignal,
): Promise<void> {
  // Without the date in the ref, so that a run tomorrow gives the same result.
  const random = createRandom(seed, id, ref.slice(11));
  const drawChance = (of: number): boolean => random.next() < of;
  const takes = (): Promise<void> => sleepFor(random.pickBetween(...behavior.takes), signal);
  const hook = robot.about(ref)[0]!;
  /** False if the exchange refuses the message: someone else has the task, or it has ended. */
  const report = async (...blocks: object[]): Promise<boolean> => {
    if (signal.aborted || !hook.callback) return false;
    const { url } = hook.callback;
    const message = { re: ref, MESS: blocks };
    return (await robot.callBack({ url, message })).ok;
  };
  const buildStatus = (code: string, more: object = {}): object => ({ status: { code, ...more } });
  const [asks, dies] = [drawChance(behavior.asks), drawChance(behavior.dies)];
  await takes();
  if (!(await report(buildStatus("claimed", { estimate: "PT1M" })))) return;
  if (asks) {
    const questions = [
      { id: "area", question: "Which area?", options: ["near the sink", "by the stove"] },
    ];
    if (!(await report(buildStatus("needs_input", { questions })))) return;
    for (let left = 100; left > 0 && !signal.aborted; left--) {
      if (robot.about(ref).some(({ event }) => event === "task.news")) break;
      await sleepFor(POLL_MS, signal);
    }
  }
  await takes();
  if (!(await report(buildStatus("in_progress", { progress_pct: 40 })))) return;
  await takes();
  if (dies) {
    const reason = { type: "hardware", detail: "the battery is empty" };
    await report(buildStatus("failed", { recoverable: true, reason }));
    return;
  }
  await report(
    { response: { content: [{ text: "All done, including the corners." }] } },
    buildStatus("completed"),
  );
}
