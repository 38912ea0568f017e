/** Builds elicitation forms for the open questions and the pending confirmation of a thread. */
import { inputRequired, type InputRequest, type InputRequests } from "@modelcontextprotocol/server";
import { isMap, type Json } from "../../mess/json.ts";
import type { ResourceView } from "../../contracts/thread.ts";
import { inlineText } from "./text/untrusted-text.ts";

/** Maximum characters of a question or an action. */
const MAX_QUESTION_CHARS = 500;

interface QuestionDetails {
  from: string;
  question: string;
  options: string[];
}

/** The latest question of the thread: sender, text and allowed answers. */
function findQuestionDetails(view: ResourceView, key: string): QuestionDetails {
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

function buildQuestionForm(view: ResourceView, key: string): InputRequest {
  const { from, question, options } = findQuestionDetails(view, key);
  // If cleaning changes an option, it no longer matches the offered one, so the form takes free text instead.
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

const buildConfirmForm = ({ envelope }: ResourceView, action: string): InputRequest =>
  inputRequired.elicit({
    message: `${envelope.executor ?? "The executor"} asks for your approval:  ${inlineText(action, MAX_QUESTION_CHARS)}`,
    requestedSchema: {
      type: "object",
      properties: { confirm: { type: "boolean", title: "Go ahead?" } },
      required: ["confirm"],
    },
  });

/** The key includes the message with the question, so that no key is used for two questions. */
export const buildQuestionKey = (question: { key: string; asked_in: string }): string =>
  `${question.asked_in}.${question.key}`;
export const buildConfirmKey = (action: { asked_in: string }): string =>
  `${action.asked_in}.confirm`;

/** All open questions and the action to confirm, one form each. */
export function buildForms(view: ResourceView): InputRequests {
  const { questions, action } = view.open;
  const openQuestions = view.envelope.status === "needs_input" ? questions : [];
  return Object.fromEntries([
    ...openQuestions.map(
      (question) => [buildQuestionKey(question), buildQuestionForm(view, question.key)] as const,
    ),
    ...(action ? [[buildConfirmKey(action), buildConfirmForm(view, action.text)] as const] : []),
  ]);
}
