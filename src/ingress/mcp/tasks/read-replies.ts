/** Reads the responses of `tasks/update` as replies to the open questions and the open confirmation of a thread. */
import { inputResponse } from "@modelcontextprotocol/server";
import type { ResourceView } from "../../../contracts/thread-views.ts";
import { type MessError, type Outcome, refuse } from "../../../mess/errors.ts";
import type { JsonMap } from "../../../mess/json.ts";
import { fail, ok } from "../../../mess/result.ts";
import { buildConfirmKey, buildQuestionKey } from "../results/elicitation-forms.ts";
import { checkAnswer, listOpenQuestions, readDecision } from "../results/open-questions.ts";

interface TaskReply {
  key: string;
  body: JsonMap;
}

type Responses = Record<string, unknown>;

/**
 * Refuses all responses where one does not answer its question, so that the client does not assume that the
 * task is answered. A form that was closed (`cancel`) stays open.
 */
export function readReplies(view: ResourceView, responses: Responses): Outcome<TaskReply[]> {
  const replies: TaskReply[] = [];
  const errors: MessError[] = [];
  const add = (key: string, body: Outcome<JsonMap | undefined>) => {
    if (!body.ok) errors.push(body.error);
    else if (body.value) replies.push({ key, body: body.value });
  };
  for (const question of listOpenQuestions(view)) {
    const key = buildQuestionKey(question);
    const given = readForm(responses, key, "answer");
    if (!given.ok || given.value.action === "cancel") {
      add(key, given.ok ? ok(undefined) : given);
    } else if (given.value.action === "decline") {
      add(key, ok({ answers: { [question.key]: "(no answer given)" } }));
    } else {
      const answer = checkAnswer(question, given.value.value);
      add(key, answer.ok ? ok({ answers: { [question.key]: answer.value } }) : answer);
    }
  }
  const { action } = view.open;
  if (action) add(buildConfirmKey(action), readConfirmation(responses, buildConfirmKey(action)));
  const [error, ...more] = errors;
  return error ? fail({ ...error, more }) : ok(replies);
}

/** Declining the form means no. */
function readConfirmation(responses: Responses, key: string): Outcome<JsonMap | undefined> {
  const given = readForm(responses, key, "confirm");
  if (!given.ok) return given;
  const { action, value } = given.value;
  if (action === "cancel") return ok(undefined);
  const confirm = action === "decline" ? false : readDecision(value);
  return confirm === undefined
    ? refuse("bad_parameter", `${key}: confirm is not a yes or no`, "Send confirm as a boolean.", {
        valid: ["true", "false"],
      })
    : ok({ confirm });
}

interface GivenForm {
  action: "accept" | "decline" | "cancel";
  /** The form's field. */
  value?: unknown;
}

/** A key without a response counts as a closed form. */
function readForm(responses: Responses, key: string, field: string): Outcome<GivenForm> {
  if (!Object.hasOwn(responses, key)) return ok({ action: "cancel" });
  const given = inputResponse(responses, key);
  if (given.kind === "elicit") return ok({ action: given.action, value: given.content?.[field] });
  return refuse(
    "bad_parameter",
    `${key}: not the response to a form`,
    `Send {action: accept, content: {${field}: …}}, or the action decline or cancel.`,
    { valid: ["accept", "decline", "cancel"] },
  );
}
