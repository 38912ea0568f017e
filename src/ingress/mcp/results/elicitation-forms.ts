/** Builds elicitation forms for the open questions and the pending confirmation of a thread. */
import { inputRequired, type InputRequests } from "@modelcontextprotocol/server";
import type { ResourceView } from "../../../contracts/thread-views.ts";
import { listOpenQuestions, type QuestionWithOptions } from "./open-questions.ts";
import { formatWarnings } from "../text/ack-warnings.ts";
import { inlineText } from "../text/untrusted-text.ts";

type ElicitInputParams = Parameters<typeof inputRequired.elicit>[0];

/** Maximum characters of a question or an action. */
const MAX_QUESTION_CHARS = 500;

function buildQuestionForm(
  { envelope }: ResourceView,
  { key, from, question, options }: QuestionWithOptions,
): ElicitInputParams {
  const texts = options.map(String);
  // If cleaning changes an option, it no longer matches the offered one, so the form takes free text instead.
  const choices = texts.every((option) => inlineText(option, 200) === option) ? texts : [];
  const title = inlineText(key, 60);
  const answer = { type: "string" as const, title };
  const isYesOrNo = options.length > 0 && options.every((one) => typeof one === "boolean");
  return {
    message: `${from} asks about "${inlineText(envelope.intent, 80)}": ${inlineText(question, MAX_QUESTION_CHARS)}`,
    requestedSchema: {
      type: "object",
      properties: {
        answer: isYesOrNo
          ? { type: "boolean" as const, title }
          : choices.length > 0
            ? { ...answer, enum: [...new Set(choices)] }
            : answer,
      },
      required: ["answer"],
    },
  };
}

const buildConfirmForm = ({ envelope }: ResourceView, action: string): ElicitInputParams => ({
  message: `${envelope.executor ?? "The executor"} asks for your approval about "${inlineText(envelope.intent, 80)}": ${inlineText(action, MAX_QUESTION_CHARS)}`,
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

/** All open questions and the action to confirm, one form each. The first also shows the warnings. */
export function buildForms(view: ResourceView, warnings: readonly string[] = []): InputRequests {
  const { action } = view.open;
  const forms = [
    ...listOpenQuestions(view).map(
      (question) => [buildQuestionKey(question), buildQuestionForm(view, question)] as const,
    ),
    ...(action ? [[buildConfirmKey(action), buildConfirmForm(view, action.text)] as const] : []),
  ];
  const toRequest = ([key, form]: (typeof forms)[number], index: number) => {
    const texts = [form.message, ...(index === 0 ? formatWarnings(warnings) : [])];
    return [key, inputRequired.elicit({ ...form, message: texts.join("\n") })] as const;
  };
  return Object.fromEntries(forms.map(toRequest));
}
