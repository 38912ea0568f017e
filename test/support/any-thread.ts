/** Arbitraries of threads, built by the state machine from arbitrary messages and passing time. */
import fc from "fast-check";
import type { Thread } from "../../src/mess/envelope.ts";
import type { JsonMap } from "../../src/mess/json.ts";
import { messageToMess } from "../../src/mess/wire/message.ts";
import type { Message } from "../../src/mess/wire/schema.ts";
import { STATUSES } from "../../src/mess/status.ts";
import { buildEnvelope } from "../../src/mess/thread/envelope.ts";
import { supersede } from "../../src/mess/thread/supersede.ts";
import { ThreadBench, buildMachine, buildPerson } from "../unit/mess/thread/support.ts";
import { anyMessage } from "./any-message.ts";

const question = fc.uniqueArray(fc.constantFrom("pot", "amount", "when"), {
  minLength: 1,
  maxLength: 3,
});

const status = fc
  .record({
    code: fc.constantFrom(...STATUSES, ...STATUSES, "needs_input", "needs_confirmation", "claimed"),
    keys: question,
    action: fc.constantFrom("cut", "burn"),
    recoverable: fc.boolean(),
    delegated_to: fc.constantFrom("tom", "work:else"),
    message: fc.constantFrom("so far: good", "", "no"),
  })
  .map(({ code, keys, ...rest }): JsonMap => ({
    status: {
      ...rest,
      code,
      ...(code === "needs_input"
        ? { questions: keys.map((id) => ({ id, question: `${id}?` })) }
        : {}),
    },
  }));

const suggestion = fc
  .constantFrom<JsonMap>(
    { type: "defer", re: ["last"] },
    { type: "defer", proposed: { until: "PT2H" } },
    { type: "defer", proposed: "2030-01-01T00:00:00Z" },
    { type: "delegate", proposed: { executor: "tom" } },
    { type: "delegate", proposed: "bot" },
    { type: "alternative", proposed: { intent: "only the ferns" } },
    { type: "split", proposed: { requests: ["ferns", { intent: "roses" }] } },
    { type: "merge", re: ["fern", "rose"], proposed: { combined_intent: "all of them" } },
  )
  .map((suggested): JsonMap => ({ suggestion: suggested }));

const anyAction = fc.oneof<fc.MaybeWeightedArbitrary<JsonMap>[]>(
  { weight: 4, arbitrary: status },
  { weight: 1, arbitrary: fc.constant({ response: { content: ["here it is"] } }) },
  { weight: 1, arbitrary: fc.boolean().map((confirm) => ({ reply: { confirm } })) },
  { weight: 2, arbitrary: fc.boolean().map((accept) => ({ reply: { accept } })) },
  {
    weight: 2,
    arbitrary: question.map((keys) => ({
      reply: { answers: Object.fromEntries(keys.map((key) => [key, "some"])) },
    })),
  },
  { weight: 1, arbitrary: fc.constant({ answer: { value: "some" } }) },
  { weight: 1, arbitrary: fc.constant({ cancel: { reason: "rain" } }) },
  { weight: 2, arbitrary: suggestion },
);

/** Lists the blocks of all messages of the thread. */
const anyBlocks = anyMessage
  .filter(({ blocks }) =>
    blocks.every(({ type }) => !["request", "query", "config"].includes(type)),
  )
  .map((message) => messageToMess(message));

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      actor: fc.constantFrom("claude", "ann", "bot", "tom", "mum"),
      mess: fc.oneof(
        { weight: 4, arbitrary: fc.array(anyAction, { minLength: 1, maxLength: 2 }) },
        { weight: 1, arbitrary: anyBlocks },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(1, 60, 601, 901, 1_801, 7_201, 90_000).map((pass) => ({ pass })),
  },
  { weight: 1, arbitrary: fc.constantFrom(60, 7_201).map((late) => ({ late })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("merge" as const, "split" as const).map((reason) => ({ reason })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...STATUSES).map((ended) => ({ ended })),
  },
);

const request = anyMessage
  .filter(({ blocks }) => blocks[0]?.type === "request")
  .map(({ blocks }: Message) => blocks[0]?.body as JsonMap);

const anyScenario = fc.record({
  request: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<JsonMap>({}, { id: "fern", confirm_before: true }) },
    { weight: 1, arbitrary: request },
  ),
  expires: fc.option(fc.constantFrom("PT1H", "P1D"), { nil: undefined }),
  blocked: fc.boolean(),
  rungs: fc.constantFrom([1, 1], [1, 2], [2, 1]),
  steps: fc.array(step, { maxLength: 25 }),
});

/** The in-memory thread, in the form that a read returns. */
export const buildThread = (bench: ThreadBench): Thread => ({
  envelope: buildEnvelope(bench.state, bench.history),
  messages: bench.documents.flatMap(({ document, acks }) => [document, ...acks]),
});

export const anyThread: fc.Arbitrary<Thread> = anyScenario.map(
  ({ request, expires, blocked, rungs, steps }) => {
    const asked: JsonMap = { ...request };
    if (expires !== undefined && asked.constraints === undefined)
      asked.constraints = { timing: { expires } };
    const candidates = [buildPerson("ann", rungs[0]), buildMachine("bot", rungs[1])];
    const bench = new ThreadBench(asked, candidates, blocked ? ["dep-1"] : []);
    for (const one of steps) {
      if ("pass" in one) bench.pass(one.pass);
      else if ("late" in one) bench.advanceSeconds(one.late);
      else if ("reason" in one)
        bench.runSystemAction((draft) =>
          supersede(draft, { superseded_by: "2026-05-04-009", reason: one.reason }),
        );
      else if ("ended" in one) bench.endDependency("dep-1", one.ended);
      else {
        const outside = JSON.stringify(one.mess).includes("work:else");
        const owner = ["mum", "ann"].includes(one.actor);
        bench.try(one.actor, one.mess, {
          owner,
          ...(outside ? {} : { delegate: buildPerson("tom") }),
        });
      }
    }
    return buildThread(bench);
  },
);
