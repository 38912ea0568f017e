/** The cost of a complete task: operations counted at the bindings, at Cloudflare's list prices. */
import type { Counters } from "./lib/billed-operations.ts";
import { createHousehold, type Stack } from "./lib/bench-worker.ts";

const TASKS = 20;

/** US dollars per million operations on Workers Paid, beyond the included amounts. R2 writes and lists are class A. */
const DOLLARS_PER_MILLION: Readonly<Record<keyof Counters | "requests", number>> = {
  requests: 0.3,
  object_requests: 0.15,
  object_rows_read: 0.001,
  object_rows_written: 1,
  d1_rows_read: 0.001,
  d1_rows_written: 1,
  r2_writes: 4.5,
  r2_reads: 0.36,
};

/** Calls of one task: create, wait, list, claim, progress, answer with a photo, read, fetch the photo. */
const REQUESTS_PER_TASK = 8;

export async function runCostBench(stack: Stack): Promise<string> {
  await stack.resetCounters();
  const household = await createHousehold(stack, "bill");
  const photo = new Uint8Array(45_000).fill(7);
  photo.set([0xff, 0xd8, 0xff, 0xe0]);
  const runTask = async (n: number) => {
    const { ref } = await household.agent.postBlocks({
      request: {
        id: `task-${n}`,
        intent: "what is in the fridge?",
        requires: ["take-photo"],
        coalesce: false,
      },
    });
    const waiting = household.agent.send("GET", `/mess/${ref}/wait?timeout=20`);
    await household.ann.send("GET", "/mess?state=received");
    await household.ann.postBlocks({ status: { re: ref, code: "claimed" } });
    await waiting;
    await household.ann.postBlocks({ status: { re: ref, code: "in_progress" } });
    const form = new FormData();
    const results = [
      { response: { re: ref, content: ["milk, eggs", { image: { file: "fridge.jpg" } }] } },
      { status: { re: ref, code: "completed" } },
    ];
    form.set("message", JSON.stringify({ MESS: results }));
    form.set("fridge.jpg", new File([photo], "fridge.jpg", { type: "image/jpeg" }));
    await household.ann.form(form);
    await (await household.agent.send("GET", `/mess/${ref}`)).text();
    await (
      await household.agent.send("GET", `/mess/${ref}/attachments/att-003-image-fridge.jpg`)
    ).arrayBuffer();
  };
  await runTask(0);
  await stack.resetCounters();
  for (let n = 1; n <= TASKS; n++) await runTask(n);
  // Once the list shows the last task as completed, all outboxes are empty.
  for (;;) {
    const { threads } = (await (
      await household.owner.send("GET", "/mess?status=completed&limit=1&q=fridge")
    ).json()) as {
      threads: { client_id: string }[];
    };
    if (threads[0]?.client_id === `task-${TASKS}`) break;
  }
  const operations = { requests: REQUESTS_PER_TASK * TASKS, ...(await stack.counters()) };
  const lines = [
    "## Cost of a task",
    "",
    "| operation | per task | $ for 1,000 tasks |",
    "| --- | --- | --- |",
  ];
  let sum = 0;
  for (const [name, price] of Object.entries(DOLLARS_PER_MILLION) as [
    keyof typeof DOLLARS_PER_MILLION,
    number,
  ][]) {
    const perTask = operations[name] / TASKS;
    const dollars = (perTask * 1_000 * price) / 1_000_000;
    sum += dollars;
    lines.push(`| ${name.replaceAll("_", " ")} | ${perTask.toFixed(1)} | ${dollars.toFixed(4)} |`);
  }
  lines.push(`| **sum** | | **${sum.toFixed(3)}** |`);
  lines.push("", "| rows written by | a task |", "| --- | --- |");
  for (const [writer, rows] of Object.entries(await stack.writers()).toSorted(
    ([, a], [, b]) => b - a,
  ))
    lines.push(`| ${writer} | ${(rows / TASKS).toFixed(1)} |`);
  return lines.join("\n");
}
