/** Arbitraries of threads, built by the state machine from arbitrary messages and passing time. */
import { defined } from "../../../src/mess/defined.ts";
import fc from "fast-check";
import type { Thread } from "../../../src/mess/envelope.ts";
import type { JsonMap } from "../../../src/mess/json.ts";
import { messageToMess } from "../../../src/mess/wire/message.ts";
import type { Message } from "../../../src/mess/wire/schema.ts";
import { STATUSES } from "../../../src/mess/status.ts";
import { buildEnvelope } from "../../../src/mess/thread/envelope.ts";
import { supersede } from "../../../src/mess/thread/suggestions/supersede.ts";
import { ThreadBench, buildMachine, buildPerson } from "../../unit/mess/thread/support.ts";
import { anyMessage } from "./any-message.ts";

const question = fc.uniqueArray(fc.constantFrom("pot", "amount", "when"), {
  minLength: 1,
  maxLength: 3,
});

/** Reports after which a thread continues. */
const OPEN_CODES = [
  "claimed",
  "in_progress",
  "waiting",
  "held",
  "needs_input",
  "needs_input",
  "needs_confirmation",
  "needs_confirmation",
  "retrying",
  "declined",
  "failed",
] as const;

const status = fc
  .record({
    code: fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(...STATUSES) },
      { weight: 5, arbitrary: fc.constantFrom(...OPEN_CODES) },
    ),
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

const fromExecutor = fc.oneof<fc.MaybeWeightedArbitrary<JsonMap>[]>(
  { weight: 5, arbitrary: status },
  { weight: 1, arbitrary: fc.constant({ response: { content: ["here it is"] } }) },
  { weight: 2, arbitrary: suggestion },
);

const fromRequestor = fc.oneof<fc.MaybeWeightedArbitrary<JsonMap>[]>(
  { weight: 3, arbitrary: fc.boolean().map((confirm) => ({ reply: { confirm } })) },
  { weight: 2, arbitrary: fc.boolean().map((accept) => ({ reply: { accept } })) },
  {
    weight: 4,
    arbitrary: question.map((keys) => ({
      reply: { answers: Object.fromEntries(keys.map((key) => [key, "some"])) },
    })),
  },
  { weight: 2, arbitrary: fc.constant({ answer: { value: "some" } }) },
);

const anyAction = fc.oneof(
  { weight: 9, arbitrary: fromExecutor },
  { weight: 9, arbitrary: fromRequestor },
  { weight: 1, arbitrary: fc.constant({ cancel: { reason: "rain" } }) },
);

/** Lists the blocks of all messages of the thread. */
const anyBlocks = anyMessage
  .filter(({ blocks }) =>
    blocks.every(({ type }) => !["request", "query", "config"].includes(type)),
  )
  .map((message) => messageToMess(message));

const say = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      actor: fc.constantFrom("ann", "ann", "bot", "tom"),
      mess: fc.array(fromExecutor, { minLength: 1, maxLength: 2 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      actor: fc.constantFrom("claude", "claude", "mum"),
      mess: fc.array(fromRequestor, { minLength: 1, maxLength: 2 }),
      about: fc.option(fc.nat(8), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      actor: fc.constantFrom("claude", "ann", "bot", "tom", "mum"),
      mess: fc.oneof(
        { weight: 3, arbitrary: fc.array(anyAction, { minLength: 1, maxLength: 3 }) },
        { weight: 1, arbitrary: anyBlocks },
      ),
    }),
  },
);

/** Alternatives, of which the thread takes the first that it accepts: a random message is mostly refused. */
const says = fc.array(say, { minLength: 3, maxLength: 8, size: "max" });

const pass = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(1, 60, 601, 901) },
  { weight: 1, arbitrary: fc.constantFrom(1_801, 7_201, 90_000) },
);

const step = fc.oneof(
  { weight: 60, arbitrary: fc.record({ says }) },
  { weight: 10, arbitrary: fc.record({ pass }) },
  { weight: 2, arbitrary: fc.constantFrom(60, 7_201).map((late) => ({ late })) },
  { weight: 2, arbitrary: fc.constantFrom(...STATUSES).map((ended) => ({ ended })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("merge" as const, "split" as const).map((reason) => ({ reason })),
  },
);

const request = anyMessage
  .filter(({ blocks }) => blocks[0]?.type === "request")
  .map(({ blocks }: Message) => blocks[0]?.body as JsonMap);

const rarely = <T, U>(arbitrary: fc.Arbitrary<T>, otherwise: U): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: 1, arbitrary }, { weight: 5, arbitrary: fc.constant(otherwise) });

const anyScenario = fc.record({
  request: fc.oneof(
    { weight: 7, arbitrary: fc.constantFrom<JsonMap>({}, { id: "fern", confirm_before: true }) },
    { weight: 1, arbitrary: request },
  ),
  expires: rarely(fc.constantFrom("PT1H", "P1D"), undefined),
  blocked: rarely(fc.constant(true), false),
  stepNumbers: fc.constantFrom([1, 1], [1, 2], [2, 1]),
  // Not biased: a short thread shows little.
  steps: fc.noBias(fc.array(step, { maxLength: 30, size: "max" })),
});

/** The in-memory thread, in the form that a read returns. */
export const buildThread = (bench: ThreadBench): Thread => ({
  envelope: buildEnvelope(bench.state, bench.history),
  messages: bench.documents.flatMap(({ document, acks }) => [document, ...acks]),
});

interface GeneratedMessage {
  actor: string;
  mess: JsonMap[];
  /** Index of the document that the message refers to. */
  about?: number | undefined;
}

/** Returns whether the thread accepted it. */
function sayIt(bench: ThreadBench, { actor, mess, about }: GeneratedMessage): boolean {
  const outside = JSON.stringify(mess).includes("work:else");
  const name = about === undefined ? undefined : bench.documents[about]?.name;
  const refusal = bench.try(actor, mess, {
    owner: ["mum", "ann"].includes(actor),
    ...defined({ about: name }),
    ...(outside ? {} : { delegate: buildPerson("tom") }),
  });
  return refusal === undefined;
}

const anyBench: fc.Arbitrary<ThreadBench> = anyScenario.map(
  ({ request, expires, blocked, stepNumbers, steps }) => {
    const asked: JsonMap = { ...request };
    if (expires !== undefined && asked.constraints === undefined)
      asked.constraints = { timing: { expires } };
    const candidates = [buildPerson("ann", stepNumbers[0]), buildMachine("bot", stepNumbers[1])];
    const bench = new ThreadBench(asked, candidates, blocked ? ["dep-1"] : []);
    for (const one of steps) {
      if ("pass" in one) bench.pass(one.pass);
      else if ("late" in one) bench.advanceSeconds(one.late);
      else if ("reason" in one)
        bench.runSystemAction((draft) =>
          supersede(draft, { superseded_by: "2026-05-04-009", reason: one.reason }),
        );
      else if ("ended" in one) bench.endDependency("dep-1", one.ended);
      else one.says.some((said) => sayIt(bench, said));
    }
    return bench;
  },
);

export const anyThread: fc.Arbitrary<Thread> = anyBench.map(buildThread);
