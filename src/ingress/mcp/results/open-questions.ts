/** The open questions of a thread with their texts and options, and the check that an answer fits its question. */
import type { ResourceView } from "../../../contracts/thread-views.ts";
import { type MessError, type Outcome, refuse } from "../../../mess/errors.ts";
import { isMap, type Json } from "../../../mess/json.ts";
import { fail, ok } from "../../../mess/result.ts";
import { inlineText } from "../text/untrusted-text.ts";

type Scalar = string | number | boolean;

export interface QuestionWithOptions {
  key: string;
  /** Name of the message that has the question. */
  asked_in: string;
  from: string;
  question: string;
  /** The allowed answers; empty where any answer is allowed. */
  options: Scalar[];
}

/** The questions that the thread waits for, in order. */
export const listOpenQuestions = (view: ResourceView): QuestionWithOptions[] =>
  view.envelope.status === "needs_input"
    ? view.open.questions.map(({ key, asked_in }) => ({
        key,
        asked_in,
        ...findQuestionDetails(view, key),
      }))
    : [];

/** Finds the latest question of this key: its sender, text and options. */
function findQuestionDetails(
  view: ResourceView,
  key: string,
): Pick<QuestionWithOptions, "from" | "question" | "options"> {
  for (const { from, MESS } of view.messages.toReversed())
    for (const { status } of MESS) {
      const found = findQuestion(status, key);
      if (!found) continue;
      const { question, options } = found;
      return {
        from,
        question: typeof question === "string" ? question : key,
        options: Array.isArray(options) && options.every(isScalar) ? options : [],
      };
    }
  return { from: "A helper", question: key, options: [] };
}

function findQuestion(status: Json | undefined, key: string) {
  const questions = isMap(status) ? status["questions"] : undefined;
  if (!Array.isArray(questions)) return undefined;
  return questions.filter(isMap).find(({ id }) => id === key);
}

const isScalar = (value: unknown): value is Scalar =>
  ["string", "number", "boolean"].includes(typeof value);

const normalize = (value: unknown): string => String(value).trim().toLowerCase();

/**
 * Returns the answer as the question's option, whatever its case. Refuses an answer that is none of the options, or
 * empty. A list may name several options.
 */
export function checkAnswer({ key, options }: QuestionWithOptions, answer: unknown): Outcome<Json> {
  const given = Array.isArray(answer) ? answer : [answer];
  if (given.length === 0 || given.some(isEmpty)) return refuseAnswer(key, "is empty", options);
  if (options.length === 0) return ok(answer as Json);
  const chosen = given.map((one) =>
    options.find((option) => isScalar(one) && normalize(option) === normalize(one)),
  );
  if (!chosen.every(isChosen)) return refuseAnswer(key, "is not one of its options", options);
  return ok(Array.isArray(answer) ? chosen : chosen[0]!);
}

const isChosen = (one: Scalar | undefined): one is Scalar => one !== undefined;
const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || normalize(value) === "";

const refuseAnswer = (key: string, problem: string, options: readonly Scalar[]): Outcome<never> =>
  refuse(
    "bad_parameter",
    `the answer to ${inlineText(key, 60)} ${problem}`,
    options.length > 0 ? "Answer with one of the options." : "Answer with a text.",
    options.length > 0 ? { valid: options.map(String) } : {},
  );

/** Checks the answers of a reply by question, or a single answer to the only question of `message` or the thread. */
export function checkAnswers(
  questions: readonly QuestionWithOptions[],
  answers: unknown,
  message: string | undefined,
): Outcome<Json> {
  // Without an open question the thread refuses the reply.
  if (questions.length === 0) return ok(answers as Json);
  if (!isMap(answers)) {
    const asked = questions.filter(
      ({ asked_in }) =>
        message === undefined || asked_in === message || asked_in.startsWith(`${message}-`),
    );
    return asked.length === 1 ? checkAnswer(asked[0]!, answers) : ok(answers as Json);
  }
  const errors: MessError[] = [];
  const checked = Object.entries(answers).map(([key, answer]): [string, Json] => {
    const question = questions.find((one) => one.key === key);
    const fits = question ? checkAnswer(question, answer) : ok(answer);
    if (!fits.ok) errors.push(fits.error);
    return [key, fits.ok ? fits.value : answer];
  });
  const [error, ...more] = errors;
  if (error) return fail({ ...error, more });
  return checked.length > 0
    ? ok(Object.fromEntries(checked))
    : refuse("bad_parameter", "answers is empty", "Answer one of the open questions.", {
        valid: questions.map(({ key }) => key),
      });
}

const YES_WORDS = ["true", "yes"];
const NO_WORDS = ["false", "no"];

/** Reads a yes or no, also as a word; undefined for anything else. */
export function readDecision(value: unknown): boolean | undefined {
  const word = normalize(value);
  return YES_WORDS.includes(word) ? true : NO_WORDS.includes(word) ? false : undefined;
}
