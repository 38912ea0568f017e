/**
 * Message sources: the time from a signed webhook to the return of `notify`, with the bare work of the same server as
 * the floor; lists, reads and searches of a source with 10,000 messages; and the cost of 1,000 messages.
 */
import { Webhook } from "standardwebhooks";
import { createHousehold, type BenchClient, type Stack } from "./lib/bench-worker.ts";
import { compare, formatRow, getQuantile, runLoad, TABLE_HEAD } from "./lib/measure.ts";

const WAKE_UPS = 200;
const SIZES = [100, 10_000];
/** Messages whose cost is counted. */
const COUNTED = 1_000;
const PARALLEL_POSTS = 16;
const ROUNDS = 3;
const CALLS = 100;
const SOURCE = "alerts";
const SECRET = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;
const webhook = new Webhook(SECRET);

/** The service that calls the webhook of the source. */
type Post = (id: string, text: string) => Promise<void>;

async function createSource(stack: Stack, id: string): Promise<{ owner: BenchClient; post: Post }> {
  const { owner } = await createHousehold(stack, id);
  await owner.postBlocks({
    config: { sources: { [SOURCE]: { kind: "webhook", secret: SECRET } } },
  });
  // Rules decide, so that no classifier is measured.
  const rules = [
    { words: ["fire"], tier: "NOTIFY" },
    { source: SOURCE, tier: "DEFER" },
  ];
  await owner.send("PUT", "/message-rules", { rules });
  return {
    owner,
    post: async (key, text) => {
      const body = JSON.stringify({ title: `Report ${key}`, text });
      const at = new Date();
      const response = await fetch(`${stack.origin}/hooks/sources/${id}/${SOURCE}`, {
        method: "POST",
        body,
        headers: {
          "Content-Type": "application/json",
          "webhook-id": key,
          "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
          "webhook-signature": webhook.sign(key, at, body),
        },
      });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      await response.text();
    },
  };
}

/** Returns when all messages are stored, classified and, but for the last ones, in the index. */
async function fill(
  { owner, post }: Awaited<ReturnType<typeof createSource>>,
  from: number,
  to: number,
): Promise<void> {
  for (let n = from; n < to; n += PARALLEL_POSTS)
    await Promise.all(
      Array.from({ length: Math.min(PARALLEL_POSTS, to - n) }, (_, k) =>
        post(`m-${n + k}`, (n + k) % 1_000 === 7 ? "plums in the kitchen" : "jars in the cellar"),
      ),
    );
  for (;;) {
    const status = (await (await owner.send("GET", `/sources/${SOURCE}`)).json()) as {
      messages: number;
      unclassified: number;
    };
    if (status.messages === to && status.unclassified === 0) return;
  }
}

/** Milliseconds from each webhook call to the return of the wait for its notice. */
async function measureWakeUps(stack: Stack): Promise<number[]> {
  const { owner, post } = await createSource(stack, "sources-notify");
  const delays: number[] = [];
  let cursor = "0";
  for (let n = 0; n < WAKE_UPS; n++) {
    const waiting = owner.send("GET", `/msg/notify?after=${cursor}`);
    // By then the wait has begun, since a later call has been answered.
    await (await owner.send("GET", "/sources")).text();
    const sent = performance.now();
    const [notified] = await Promise.all([waiting, post(`wake-${n}`, "fire in the cellar")]);
    await notified.text();
    delays.push(performance.now() - sent);
    cursor = notified.headers.get("X-MESS-Cursor") ?? cursor;
  }
  return delays.toSorted((a, b) => a - b);
}

const formatTimes = (times: readonly number[]): string =>
  `p50 ${getQuantile(times, 0.5).toFixed(1)} ms, p99 ${getQuantile(times, 0.99).toFixed(1)} ms`;

export async function runSourcesBench(stack: Stack): Promise<string> {
  await stack.resetCounters();
  const postBare = async () =>
    (await fetch(`${stack.origin}/baseline/notify`, { method: "POST", body: "a row" })).text();
  const floor = await runLoad(1, WAKE_UPS, postBare);
  const wakeUps = await measureWakeUps(stack);

  const rows: string[] = [];
  let cost = "";
  for (const size of SIZES) {
    const source = await createSource(stack, `sources-${size}`);
    await fill(source, 0, Math.min(size, SIZES[0]!));
    if (size > COUNTED) {
      await stack.resetCounters();
      await fill(source, SIZES[0]!, SIZES[0]! + COUNTED);
      const counted = await stack.counters();
      cost = Object.entries(counted)
        .map(([name, count]) => `${name} ${count.toLocaleString("en")}`)
        .join(", ");
      await fill(source, SIZES[0]! + COUNTED, size);
    }
    const { owner } = source;
    const page = (await (
      await owner.send("GET", `/sources/${SOURCE}/messages?limit=20`)
    ).json()) as { messages: { id: string }[] };
    const id = page.messages[0]!.id;
    const readBare = async () => (await fetch(`${stack.origin}/baseline/notify`)).text();
    for (const [name, path] of [
      ["list", `/sources/${SOURCE}/messages?limit=20`],
      ["read", `/sources/${SOURCE}/messages/${id}`],
      ["search", "/messages/search?q=plums+kitchen"],
    ] as const) {
      const call = async () => (await owner.send("GET", path)).text();
      const both = await compare(
        ROUNDS,
        () => runLoad(1, CALLS, readBare),
        () => runLoad(1, CALLS, call),
      );
      rows.push(formatRow(`${name}, ${size.toLocaleString("en")} messages`, both));
    }
  }
  return `## Message sources

From a signed webhook to the return of \`notify\`: ${formatTimes(wakeUps)}. One bare POST that inserts a row: p50 ${floor.p50.toFixed(1)} ms, p99 ${floor.p99.toFixed(1)} ms.

${TABLE_HEAD}
${rows.join("\n")}

1,000 messages, classified by a rule, with their notices and the index: ${cost}.`;
}
