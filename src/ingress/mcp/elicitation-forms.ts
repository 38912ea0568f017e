/** What awaits the requestor, as forms for the client to put to its user. */
import { inputRequired, type InputRequest, type InputRequests } from "@modelcontextprotocol/server";
import { isMap, type Json } from "../../mess/json.ts";
import type { ThreadView } from "../../contracts/thread.ts";
import { inline } from "./text/untrusted-text.ts";

/** Characters of a question or an action. */
const LONGEST = 500;

interface Asked {
  from: string;
  question: string;
  options: string[];
}

/** The thread's last words on a question: who asked, its text, and what may be answered. */
function askedFor(view: ThreadView, key: string): Asked {
  for (const { from, MESS } of view.messages.toReversed())
    for (const { status } of MESS) {
      const asked = questionIn(status, key);
      if (!asked) continue;
      const { question, options } = asked;
      const choices = Array.isArray(options) ? options : [];
      return {
        from,
        question: typeof question === "string" ? question : key,
        options: choices.every((choice) => typeof choice === "string") ? choices : [],
      };
    }
  return { from: "A helper", question: key, options: [] };
}

function questionIn(status: Json | undefined, key: string) {
  const questions = isMap(status) ? status["questions"] : undefined;
  if (!Array.isArray(questions)) return undefined;
  return questions.filter(isMap).find(({ id }) => id === key);
}

function formOf(view: ThreadView, key: string): InputRequest {
  const { from, question, options } = askedFor(view, key);
  // Cleaned, an option might not be the one that was offered: then the answer is free text.
  const choices = options.every((option) => inline(option, 200) === option) ? options : [];
  const answer = { type: "string" as const, title: inline(key, 60) };
  return inputRequired.elicit({
    message: `${from} asks about "${inline(view.envelope.intent, 80)}": ${inline(question, LONGEST)}`,
    requestedSchema: {
      type: "object",
      properties: {
        answer: choices.length > 0 ? { ...answer, enum: [...new Set(choices)] } : answer,
      },
      required: ["answer"],
    },
  });
}

const yesOrNo = ({ envelope }: ThreadView, action: string): InputRequest =>
  inputRequired.elicit({
    message: `${envelope.executor ?? "A helper"} asks whether to go ahead: ${inline(action, LONGEST)}`,
    requestedSchema: {
      type: "object",
      properties: { confirm: { type: "boolean", title: "Go ahead?" } },
      required: ["confirm"],
    },
  });

/** Keys name the message that asked, so that none is ever used for two questions. */
export const questionKey = (question: { key: string; asked_in: string }): string =>
  `${question.asked_in}.${question.key}`;
export const confirmKey = (action: { asked_in: string }): string => `${action.asked_in}.confirm`;

/** Every open question and the action that awaits a yes, each as one form. */
export function formsOf(view: ThreadView): InputRequests {
  const { questions, action } = view.open;
  const asked = view.envelope.status === "needs_input" ? questions : [];
  return Object.fromEntries([
    ...asked.map((question) => [questionKey(question), formOf(view, question.key)] as const),
    ...(action ? [[confirmKey(action), yesOrNo(view, action.text)] as const] : []),
  ]);
}
