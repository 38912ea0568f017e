/**
 * Acknowledged messages are never lost: all processes are killed with SIGKILL repeatedly while many clients append.
 * After each start, every acknowledged message must be there once, complete, in order, and with its file.
 *
 * CRASH_CYCLES sets the number of kills, CRASH_SEED their times.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { createClient } from "../../scripts/lib/client.ts";
import { NO_LIMITS } from "../../scripts/lib/no-limits.ts";
import {
  appendUntilCut,
  readAttachment,
  WriterLog,
  readStored,
  send,
} from "../support/append-clients.ts";
import { listViolations, sealText } from "../support/acknowledged-messages.ts";
import { createSeededRandom } from "../support/generators/random.ts";
import {
  type ReadyFile,
  removeDirectories,
  type Stack,
  startStack,
} from "../support/exchange-process.ts";

const CYCLES = Number(process.env["CRASH_CYCLES"] ?? 10);
const SEED = Number(process.env["CRASH_SEED"] ?? 20_260_201);
const THREADS = 4;
const WRITERS_PER_THREAD = 2;

let stack: Stack | undefined;
afterAll(async () => {
  await stack?.stop();
  removeDirectories();
});

describe("kill -9 of all processes during appends", () => {
  it(
    `a kill of all processes loses, duplicates, truncates and reorders no message in ${CYCLES} cycles (seed ${SEED})`,
    { timeout: 60_000 + CYCLES * 20_000 },
    async () => {
      const random = createSeededRandom(SEED);
      const book = new WriterLog();
      stack = await startStack(undefined, ["--limits", NO_LIMITS]);
      const threads = await makeThreads(stack.ready);
      let cut = 0;

      for (let cycle = 1; cycle <= CYCLES; cycle++) {
        const writing = threads.flatMap((thread, index) =>
          Array.from({ length: WRITERS_PER_THREAD }, (_, writer) =>
            appendUntilCut(stack!.ready, book, thread, `${index}.${writer}`, writer === 1),
          ),
        );
        await sleep(random.pickBetween(300, 1_000));
        await stack.kill();
        await Promise.all(writing);
        cut += book.unanswered.length;

        stack = await startStack(stack.state, ["--limits", NO_LIMITS]);
        expect(await findFaults(stack.ready, threads, book), `after kill ${cycle}`).toEqual([]);
        await askAgain(stack.ready, book);
        expect(await findFaults(stack.ready, threads, book), `retried ${cycle}`).toEqual([]);
      }

      console.log(`${CYCLES} kills, ${book.acks} acks, ${cut} calls cut short, seed ${SEED}`);
      expect(book.acks).toBeGreaterThan(CYCLES * THREADS);
      expect(cut).toBe(CYCLES * THREADS * WRITERS_PER_THREAD);
      const unlike = [];
      for (const { ref, bytes } of book.attached)
        if (Buffer.compare((await readAttachment(stack.ready, ref)) ?? Buffer.of(), bytes) !== 0)
          unlike.push(ref);
      expect(unlike, "files lost or changed").toEqual([]);
    },
  );
});

describe("the check itself", () => {
  const texts = [1, 2, 3].map((number) => sealText("w", number, "x"));
  const [one, two, three] = texts as [string, string, string];
  const buildFollowup = (serial: number, text: string) => ({ ref: `t/followup-00${serial}`, text });
  const buildAcked = (serial: number, text: string) => ({
    thread: "t",
    ...buildFollowup(serial, text),
  });
  const sent = new Set(texts);

  it("the check of acknowledged messages accepts a correct thread", () => {
    const kept = [buildFollowup(1, one), buildFollowup(2, two), buildFollowup(3, three)];

    expect(listViolations(kept, [buildAcked(1, one), buildAcked(3, three)], sent)).toEqual([]);
  });

  it.each([
    ["lost", [buildFollowup(1, one)], [buildAcked(2, two)]],
    ["duplicated", [buildFollowup(1, one), buildFollowup(2, one)], []],
    ["gap", [buildFollowup(1, one), buildFollowup(3, two)], []],
    ["torn", [buildFollowup(1, one.slice(0, -1))], []],
    ["never sent", [buildFollowup(1, sealText("other", 1, "x"))], []],
    ["out of order", [buildFollowup(1, two), buildFollowup(2, one)], []],
    ["moved", [buildFollowup(1, one), buildFollowup(2, two)], [buildAcked(1, two)]],
  ])("the check of acknowledged messages detects: %s", (fault, kept, promised) => {
    expect(listViolations(kept, promised, sent).join("\n")).toContain(fault);
  });
});

async function makeThreads({ origin, keys }: ReadyFile): Promise<string[]> {
  const agent = createClient(origin, keys.agent);
  return await Promise.all(
    Array.from({ length: THREADS }, async (_, index) => {
      const { ref } = await agent.mess(`MESS: [{ request: { intent: count the forks ${index} } }]`);
      return ref ?? "";
    }),
  );
}

async function findFaults(ready: ReadyFile, threads: string[], book: WriterLog): Promise<string[]> {
  const faults: string[] = [];
  for (const thread of threads) {
    const kept = await readStored(ready, thread);
    const sent = book.sent.get(thread) ?? new Set();
    faults.push(...listViolations(kept, book.acked.get(thread) ?? [], sent));
  }
  return faults;
}

/** Repeats the calls without a response, with the same keys; they must not take effect twice. */
async function askAgain(ready: ReadyFile, book: WriterLog): Promise<void> {
  const calls = book.unanswered;
  book.unanswered = [];
  for (const call of calls) {
    const ref = await send(ready, call);
    expect(ref, "a retried call is answered").toBeDefined();
    book.note(call, ref ?? "");
  }
}
