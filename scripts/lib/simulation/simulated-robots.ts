/** Simulated robots behind signed webhooks: they claim, ask, report progress, break down, or finish. */
import type { startRobot } from "../../../test/support/local-servers/robot-server.ts";
import { createRandom, type SimulatedRobot, type SimulatedTask } from "./scenario.ts";
import { sleepFor } from "./simulated-people.ts";

export type RunningRobot = Awaited<ReturnType<typeof startRobot>>;

const POLL_MS = 40;

/** Plays the robot until the signal is aborted. */
export async function runRobot(
  machine: SimulatedRobot,
  robot: RunningRobot,
  seed: number,
  tasks: readonly SimulatedTask[],
  signal: AbortSignal,
): Promise<void> {
  const met = new Set<string>();
  const busy: Promise<void>[] = [];
  while (!signal.aborted) {
    for (const { ref, event } of robot.hooks) {
      if (event !== "task.offered" || met.has(ref)) continue;
      met.add(ref);
      const task = tasks.find(({ id }) => ref.endsWith(`-${id}`));
      if (task) busy.push(runTask(machine, robot, seed, ref, task, signal));
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
  { incident, question, suggestion, answer }: SimulatedTask,
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
  const countNews = () => robot.about(ref).filter(({ event }) => event === "task.news").length;
  const reportAndWaitForReply = async (block: object): Promise<boolean> => {
    const before = countNews();
    if (!(await report(block))) return false;
    for (let left = 100; left > 0 && !signal.aborted && countNews() === before; left--)
      await sleepFor(POLL_MS, signal);
    return true;
  };
  const [asks, dies] = [
    drawChance(behavior.asks),
    drawChance(behavior.dies) || incident === "breakdown",
  ];
  await takes();
  if (!(await report(buildStatus("claimed", { estimate: "PT1M" })))) return;
  const message =
    incident === "suggestion"
      ? { suggestion: { type: "alternative", proposed: suggestion } }
      : buildStatus("needs_input", { questions: [{ id: "detail", question }] });
  if ((asks || incident === "suggestion") && !(await reportAndWaitForReply(message))) return;
  await takes();
  if (!(await report(buildStatus("in_progress", { progress_pct: 40 })))) return;
  await takes();
  if (dies && incident !== "suggestion") {
    const reason = { type: "hardware", detail: "the battery is empty" };
    await report(buildStatus("failed", { recoverable: true, reason }));
    return;
  }
  await report({ response: { content: [{ text: answer }] } }, buildStatus("completed"));
}
