/** What awaits the requestor, as forms for the client to put to its user. */
import { inputRequired, type InputRequest, type InputRequests } from "@modelcontextprotocol/server";
import { isMap, type Json } from "../../mess/json.ts";
import type { ThreadView } from "../../contracts/thread.ts";
import { inlineText } from "./text/untrusted-text.ts";

/** Characters of a question or an action. */
const MAX_QUESTION_CHARS = 500;

interface QuestionDetails {
  from: string;
  question: string;
  options: string[];
}

/** The thread's last words on a question: who asked, its text, and what may be answered. */
function findQuestionDetails(view: ThreadView, key: string): QuestionDetails {
  for (const { from, MESS } of view.messages.toReversed())
    for (const { status } of MESS) {
      const found = findQuestion(status, key);
      if (!found) continue;
      const { question, options } = found;
      const choices = Array.isArray(options) ? options : [];
      return {
        from,
        question: typeof question === "string" ? question : key,
        options: choices.every((choice) => typeof choice === "string") ? choices : [],
      };
    }
  return { from: "A helper", question: key, options: [] };
}

function findQuestion(status: Json | undefined, key: string) {
  const questions = isMap(status) ? status["questions"] : undefined;
  if (!Array.isArray(questions)) return undefined;
  return questions.filter(isMap).find(({ id }) => id === key);
}

function buildQuestionForm(view: ThreadView, key: string): InputRequest {
  const { from, question, options } = findQuestionDetails(view, key);
  // Cleaned, an option might not be the one that was offered: then the answer is free text.
  const choices = options.every((option) => inlineText(option, 200) === option) ? options : [];
  const answer = { type: "string" as const, title: inlineText(key, 60) };
  return inputRequired.elicit({
    message: `${from} asks about "${inlineText(view.envelope.intent, 80)}": ${inlineText(question, MAX_QUESTION_CHARS)}`,
    requestedSchema: {
      type: "object",
      properties: {
        answer: choices.length > 0 ? { ...answer, enum: [...new Set(choices)] } : answer,
      },
      required: ["answer"],
    },
  });
}

const buildConfirmForm = ({ envelope }: ThreadView, action: string): InputRequest =>
  inputRequired.elicit({
    message: `${envelope.executor ?? "A helper"} asks whether to go ahead: ${inlineText(action, MAX_QUESTION_CHARS)}`,
    requestedSchema: {
      type: "object",
      properties: { confirm: { type: "boolean", title: "Go ahead?" } },
      required: ["confirm"],
    },
  });

/** Keys name the message that asked, so that none is ever used for two questions. */
export const buildQuestionKey = (question: { key: string; asked_in: string }): string =>
  `${question.asked_in}.${question.key}`;
export const buildConfirmKey = (action: { asked_in: string }): string =>
  `${action.asked_in}.confirm`;

/** Every open question and the action that awaits a yes, each as one form. */
export function buildForms(view: ThreadView): InputRequests {
  const { questions, action } = view.open;
  const openQuestions = view.envelope.status === "needs_input" ? questions : [];
  return Object.fromEntries([
    ...openQuestions.map(
      (question) => [buildQuestionKey(question), buildQuestionForm(view, question.key)] as const,
    ),
    ...(action ? [[buildConfirmKey(action), buildConfirmForm(view, action.text)] as const] : []),
  ]);
}
