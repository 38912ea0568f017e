/** What a whole task costs: counted at the bindings, priced by Cloudflare's list (US dollars a million). */
import type { Counters } from "./lib/billed-operations.ts";
import { createHousehold, type Stack } from "./lib/bench-worker.ts";

const TASKS = 20;

/** Workers Paid, beyond what is included. R2: class A for writes and lists, class B for reads. */
const PRICES: Readonly<Record<keyof Counters | "requests", number>> = {
  requests: 0.3,
  object_requests: 0.15,
  object_rows_read: 0.001,
  object_rows_written: 1,
  d1_rows_read: 0.001,
  d1_rows_written: 1,
  r2_writes: 4.5,
  r2_reads: 0.36,
};

/** Ask, wait, claim, progress, answer with a photo, read, fetch the photo: requests to the Worker. */
const REQUESTS = 8;

export async function runCostBench(stack: Stack): Promise<string> {
  await stack.resetCounters();
  const household = await createHousehold(stack, "bill");
  const photo = new Uint8Array(45_000).fill(7);
  photo.set([0xff, 0xd8, 0xff, 0xe0]);
  const callTask = async (n: number) => {
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
  await callTask(0);
  await stack.resetCounters();
  for (let n = 1; n <= TASKS; n++) await callTask(n);
  // The last outbox has been emptied when the list shows the last task as completed.
  for (;;) {
    const { threads } = (await (
      await household.owner.send("GET", "/mess?status=completed&limit=1&q=fridge")
    ).json()) as {
      threads: { client_id: string }[];
    };
    if (threads[0]?.client_id === `task-${TASKS}`) break;
  }
  const counted = { requests: REQUESTS * TASKS, ...(await stack.counters()) };
  const lines = [
    "## The bill of a task",
    "",
    "| operation | a task | $ for 1,000 tasks |",
    "| --- | --- | --- |",
  ];
  let sum = 0;
  for (const [name, price] of Object.entries(PRICES) as [keyof typeof PRICES, number][]) {
    const each = counted[name] / TASKS;
    const dollars = (each * 1_000 * price) / 1_000_000;
    sum += dollars;
    lines.push(`| ${name.replaceAll("_", " ")} | ${each.toFixed(1)} | ${dollars.toFixed(4)} |`);
  }
  lines.push(`| **sum** | | **${sum.toFixed(3)}** |`);
  return lines.join("\n");
}
