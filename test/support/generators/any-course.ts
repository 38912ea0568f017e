/**
 * Arbitraries of courses of a thread. Each message is chosen to suit the thread's state, so that most are accepted and
 * threads get long; some are about the wrong question, or from a member whose turn it is not.
 */
import { defined } from "../../../src/mess/defined.ts";
import fc from "fast-check";
import type { JsonMap } from "../../../src/mess/json.ts";
import { isFinal, STATUSES } from "../../../src/mess/status.ts";
import type { ThreadState } from "../../../src/mess/thread/state.ts";
import { supersede } from "../../../src/mess/thread/suggestions/supersede.ts";
import { ThreadBench, buildMachine, buildPerson } from "../../unit/mess/thread/support.ts";

const EXECUTORS = ["ann", "bot", "cy", "tom", "mum"];
const OWNERS = ["ann", "mum"];
const WORK_CODES = ["in_progress", "waiting", "held", "retrying"];
const QUESTION_KEYS = ["pot", "amount", "when"];
const SUGGESTIONS: JsonMap[] = [
  { type: "defer", proposed: { until: "PT2H" } },
  { type: "defer", proposed: "2030-01-01T00:00:00Z" },
  { type: "delegate", proposed: { executor: "tom" } },
  { type: "delegate", proposed: "bot" },
  { type: "delegate", proposed: { to: "ann" } },
  { type: "alternative", proposed: { intent: "only the ferns" } },
  { type: "split", proposed: { requests: ["ferns", { intent: "roses" }] } },
  { type: "merge", re: ["fern", "rose"], proposed: { combined_intent: "all of them" } },
];
const DELEGATES = ["tom", "bot", "work:else"];

/** Random choices from which a block is built. */
interface Choice {
  /** The kind of the block, or a number that chooses one that suits the state. */
  kind: Kind | number;
  pick: number;
  yes: boolean;
}

interface BuiltBlock {
  block: JsonMap;
  /** The message that the block is about. */
  about?: string | undefined;
}

type BuildBlock = (state: ThreadState, choice: Choice) => BuiltBlock;

const at = <T>(list: readonly T[], pick: number): T => list[pick % list.length]!;
const status = (code: string, fields: JsonMap = {}): BuiltBlock => ({
  block: { status: { code, ...fields } },
});

const FROM_EXECUTOR = {
  ask: (_, { pick, yes }) => {
    const ids = [...QUESTION_KEYS, ...QUESTION_KEYS].slice(pick % 3, (pick % 3) + (yes ? 1 : 2));
    const questions = ids.map((id) => ({ id, question: `${id}?` }));
    return status("needs_input", {
      questions: pick % 5 === 0 ? [{ question: "which?" }] : questions,
    });
  },
  claim: () => status("claimed"),
  decline: (_, { pick }) => status(pick % 4 === 0 ? "cancelled" : "declined", { message: "no" }),
  work: (_, { pick }) => status(at(WORK_CODES, pick)),
  propose: (_, { yes }) => status("needs_confirmation", { action: yes ? "cut" : "burn" }),
  fail: (_, { pick }) => status("failed", { recoverable: pick % 5 > 0, message: "broken" }),
  delegate: (_, { pick }) => status("delegated", { delegated_to: at(DELEGATES, pick % 7) }),
  respond: () => ({ block: { response: { content: ["here it is"] } } }),
  finish: (_, { pick }) => status(pick % 4 === 0 ? "completed" : "partial"),
  suggest: (_, { pick }) => ({ block: { suggestion: at(SUGGESTIONS, pick) } }),
  note: () => ({ block: { followup: { message: "by the way" } } }),
} satisfies Record<string, BuildBlock>;

const FROM_REQUESTOR = {
  answer: ({ questions }, { pick, yes }) => {
    const keys = questions.map(({ key }) => key);
    const answered = yes ? keys : [at([...keys, "pot"], pick)];
    return {
      block: { reply: { answers: Object.fromEntries(answered.map((key) => [key, "some"])) } },
    };
  },
  answerOne: ({ questions }, { pick, yes }) => ({
    block: pick % 2 === 0 ? { answer: { value: "some" } } : { reply: { answers: "some" } },
    about: yes ? at([undefined, ...questions], pick)?.asked_in : questions.at(-1)?.asked_in,
  }),
  confirm: ({ action }, { pick, yes }) => ({
    block: { reply: { confirm: yes, reason: "not today" } },
    about: pick % 3 === 0 ? action?.asked_in : undefined,
  }),
  judge: ({ suggestions }, { pick, yes }) => ({
    block: { reply: { accept: yes } },
    about: at([undefined, ...suggestions, ...suggestions], pick)?.made_in,
  }),
  cancel: () => ({ block: { cancel: { reason: "rain" } } }),
  review: () => ({ block: { review: { rating: 4 } } }),
} satisfies Record<string, BuildBlock>;

type Kind = keyof typeof FROM_EXECUTOR | keyof typeof FROM_REQUESTOR;

const repeat = (kind: Kind, times: number): Kind[] => Array.from({ length: times }, () => kind);

/** Lists what may be sent in this state; what is more frequent is listed more often. */
function listKinds(state: ThreadState): Kind[] {
  if (isFinal(state.status)) return ["note", "review", "respond", "judge", "claim"];
  const isClaimed = state.executor !== null;
  return [
    ...repeat("answer", state.questions.length > 0 ? 5 : 0),
    ...repeat("answerOne", state.questions.length > 0 ? 5 : 0),
    ...repeat("confirm", state.action?.open ? 8 : 0),
    ...repeat("judge", state.suggestions.length > 0 ? 4 : 0),
    ...repeat("claim", isClaimed ? 0 : 4),
    ...repeat("claim", state.soft_claim === undefined ? 0 : 4),
    ...repeat("ask", 5),
    ...repeat("decline", state.soft_claim === undefined ? 2 : 4),
    ...repeat("work", 3),
    ...repeat("propose", 3),
    ...repeat("fail", 2),
    ...repeat("suggest", 3),
    ...repeat("respond", 2),
    ...repeat("cancel", isClaimed ? 0 : 1),
    "delegate",
    "finish",
    "note",
    "review",
  ];
}

const choice: fc.Arbitrary<Choice> = fc.record({
  kind: fc.nat(1_000),
  pick: fc.nat(1_000),
  yes: fc.boolean(),
});

const say = fc.record({
  who: fc.nat(11),
  choices: fc.array(choice, { minLength: 1, maxLength: 3 }),
});

interface MessageStep {
  who: number;
  choices: Choice[];
}

/** Kinds of the blocks of successive messages that random choices rarely send in this order. */
const SEQUENCES: readonly (readonly Kind[])[][] = [
  [["ask"], ["ask"], ["answerOne"]],
  [["ask"], ["claim"], ["ask"], ["decline"], ["answer"]],
  [["ask"], ["answer"], ["ask"], ["claim"], ["answer"]],
  [["ask"], ["claim"], ["ask"], ["answer"]],
  [["ask"], ["ask"], ["claim"]],
  [["ask"], ["decline", "claim"]],
  [["ask"], ["decline", "ask"], ["answer"]],
  [["suggest"], ["suggest"], ["judge", "claim", "fail"]],
  [["claim"], ["suggest"], ["suggest"], ["judge", "claim"]],
  [["propose"], ["confirm"], ["ask"], ["answer"]],
  [["fail"], ["ask"], ["answer"]],
  [["ask"], ["answer"], ["respond"]],
  [["ask"], ["respond"], ["ask"], ["answer"]],
];

/** Two members who take turns in a sequence, or those whose turn it is; see `chooseActor`. */
const TURNS: readonly (readonly number[])[] = [[], [0, 1, 1, 0, 0], [1, 0, 0, 1, 0]];

const sequence = fc
  .record({
    turns: fc.constantFrom(...TURNS),
    kinds: fc.constantFrom(...SEQUENCES),
    says: fc.array(say, { minLength: 5, maxLength: 5 }),
  })
  .map(({ kinds, says, turns }) =>
    kinds.map((named, index): { say: MessageStep } => {
      const { who, choices } = says[index]!;
      return {
        say: {
          who: turns[index] ?? who,
          choices: named.map((kind, block) => ({ ...at(choices, block), kind })),
        },
      };
    }),
  );

type Step =
  | { say: MessageStep }
  | { pass: number }
  | { late: number }
  | { ended: (typeof STATUSES)[number] }
  | { reason: "merge" | "split" };

const anyStep = fc.oneof<fc.MaybeWeightedArbitrary<Step>[]>(
  { weight: 70, arbitrary: fc.record({ say }) },
  { weight: 10, arbitrary: fc.constantFrom(1, 60, 601, 901).map((pass) => ({ pass })) },
  { weight: 2, arbitrary: fc.constantFrom(1_801, 7_201, 90_000).map((pass) => ({ pass })) },
  { weight: 2, arbitrary: fc.constantFrom(60, 7_201).map((late) => ({ late })) },
  { weight: 1, arbitrary: fc.constantFrom(...STATUSES).map((ended) => ({ ended })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("merge" as const, "split" as const).map((reason) => ({ reason })),
  },
);

/** Mostly the member whose turn it is; `who` is from 0 to 11. */
function chooseActor(state: ThreadState, kind: Kind, who: number): string {
  if (kind in FROM_REQUESTOR) return who < 3 ? "ann" : who === 3 ? "mum" : "claude";
  const current = state.executor ?? state.soft_claim;
  return current !== undefined && who > 4 ? current : at(EXECUTORS, who);
}

/** Appends the message; where the thread refuses all of its blocks together, the first one alone. */
function appendMessage(bench: ThreadBench, { who, choices }: MessageStep): void {
  const { state } = bench;
  const kinds = listKinds(state);
  const chosen = choices.map((one) => ({
    ...one,
    name: typeof one.kind === "number" ? at(kinds, one.kind) : one.kind,
  }));
  const [first] = chosen;
  const actor = chooseActor(state, first!.name, who);
  const isOwner = OWNERS.includes(actor);
  const built = chosen
    .filter(({ name }) => isOwner || name in FROM_REQUESTOR === first!.name in FROM_REQUESTOR)
    .map((one): BuiltBlock => {
      const build: BuildBlock = { ...FROM_EXECUTOR, ...FROM_REQUESTOR }[one.name];
      return build(state, one);
    });
  for (const blocks of [built, built.slice(0, 1)]) {
    const about = blocks.find((one) => one.about !== undefined)?.about;
    const isOutside = JSON.stringify(blocks).includes("work:else");
    const refusal = bench.try(
      actor,
      blocks.map(({ block }) => block),
      {
        owner: isOwner,
        ...defined({ about }),
        ...(isOutside ? {} : { delegate: findDelegate(blocks) }),
      },
    );
    if (refusal === undefined) return;
  }
}

const findDelegate = (blocks: readonly BuiltBlock[]) => {
  const id = /"(?:delegated_to|executor|to|proposed)":"(tom|bot|ann)"/.exec(JSON.stringify(blocks));
  return id?.[1] === "bot" ? buildMachine("bot") : buildPerson(id?.[1] ?? "tom");
};

/** A thread before its first step, and functions that each take one further step. */
export interface Course {
  bench: ThreadBench;
  steps: (() => void)[];
}

export const anyCourse: fc.Arbitrary<Course> = fc
  .record({
    confirm_before: fc.constantFrom(false, false, true),
    constraints: fc.constantFrom<JsonMap>(
      {},
      {},
      {},
      { timing: { expires: "P1D" } },
      { on_dependency_failure: "cancel" },
      { on_dependency_failure: "proceed", timing: { not_before: "2026-05-04T08:10:00Z" } },
    ),
    blocked: fc.constantFrom(false, false, false, false, true),
    stepNumbers: fc.constantFrom([1, 1, 1], [1, 2, 2], [2, 1], [1]),
    // Not biased: a short thread shows little.
    steps: fc.noBias(
      fc.array(
        fc.oneof(
          { weight: 6, arbitrary: anyStep.map((one): Step[] => [one]) },
          { weight: 1, arbitrary: sequence },
        ),
        { minLength: 5, maxLength: 22, size: "max" },
      ),
    ),
  })
  .map(({ confirm_before, constraints, blocked, stepNumbers, steps }) => {
    const candidates = stepNumbers.map((rung, index) =>
      index === 1 ? buildMachine("bot", rung) : buildPerson(at(["ann", "bot", "cy"], index), rung),
    );
    const bench = new ThreadBench(
      { confirm_before, constraints },
      candidates,
      blocked ? ["dep-1"] : [],
    );
    return { bench, steps: steps.flat().map((one) => () => takeStep(bench, one)) };
  });

function takeStep(bench: ThreadBench, one: Step): void {
  if ("say" in one) appendMessage(bench, one.say);
  else if ("pass" in one) bench.pass(one.pass);
  else if ("late" in one) bench.advanceSeconds(one.late);
  else if ("ended" in one) bench.endDependency("dep-1", one.ended);
  else
    bench.runSystemAction((draft) =>
      supersede(draft, { superseded_by: "2026-05-04-009", reason: one.reason }),
    );
}
