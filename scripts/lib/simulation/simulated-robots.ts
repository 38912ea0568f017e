/** Robots behind signed webhooks: they claim, ask, report how far they are, die in the middle, or finish. */
import type { startRobot } from "../../../test/support/robot-server.ts";
import { createRandom, type SimulatedRobot } from "./scenario.ts";
import { sleepFor } from "./simulated-people.ts";

export type RunningRobot = Awaited<ReturnType<typeof startRobot>>;

const POLL_MS = 40;

/** Plays the machine until the signal. */
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
  // The serial, not the day: a run tomorrow is the same.
  const random = createRandom(seed, id, ref.slice(11));
  const chance = (of: number): boolean => random.next() < of;
  const takes = (): Promise<void> => sleepFor(random.between(...behavior.takes), signal);
  const hook = robot.about(ref)[0]!;
  /** False where the exchange refuses it: somebody else has the task, or it has ended. */
  const report = async (...blocks: object[]): Promise<boolean> => {
    if (signal.aborted || !hook.callback) return false;
    const { url } = hook.callback;
    const message = { re: ref, MESS: blocks };
    return (await robot.callBack({ url, message })).ok;
  };
  const status = (code: string, more: object = {}): object => ({ status: { code, ...more } });
  const [asks, dies] = [chance(behavior.asks), chance(behavior.dies)];
  await takes();
  if (!(await report(status("claimed", { estimate: "PT1M" })))) return;
  if (asks) {
    const questions = [
      { id: "area", question: "Which area?", options: ["near the sink", "by the stove"] },
    ];
    if (!(await report(status("needs_input", { questions })))) return;
    for (let left = 100; left > 0 && !signal.aborted; left--) {
      if (robot.about(ref).some(({ event }) => event === "task.news")) break;
      await sleepFor(POLL_MS, signal);
    }
  }
  await takes();
  if (!(await report(status("in_progress", { progress_pct: 40 })))) return;
  await takes();
  if (dies) {
    const reason = { type: "hardware", detail: "the battery is empty" };
    await report(status("failed", { recoverable: true, reason }));
    return;
  }
  await report(
    { response: { content: [{ text: "It is done, no corner left out." }] } },
    status("completed"),
  );
}
