/** Applies a `reply` of the requestor: answers, confirmations, verdicts on suggestions (decisions 16–21). */
import type { MessError } from "../errors.ts";
import { isMap, type Json } from "../json.ts";
import type { Block } from "../wire/schema.ts";
import { isFinal } from "../status.ts";
import { renewLease } from "./claims.ts";
import type { ThreadDraft } from "./thread-change.ts";
import { buildFinishedError, buildNoQuestionError } from "./shared-refusals.ts";
import type { MessageSender } from "./policy.ts";
import { judgeSuggestion } from "./suggestions/suggestions.ts";
import { recordAnswer } from "./pending-answers.ts";

/** Confirmed actions that the state stores, each up to 4,000 characters. */
const MAX_CONFIRMED_ACTIONS = 16;

type Reply = Extract<Block, { type: "reply" }>["body"];

/** @param about name of the message in the sender's `re`, if it names a message */
export function applyReply(
  draft: ThreadDraft,
  sender: MessageSender,
  name: string,
  reply: Reply,
  about: string | undefined,
): MessError | undefined {
  const { state } = draft;
  const { actor } = sender;
  if (reply.accept !== undefined) {
    const error = judgeSuggestion(draft, sender, name, reply.accept, about);
    if (error) return error;
  }
  if (reply.confirm === undefined && reply.answers === undefined) return undefined;
  if (isFinal(state.status)) return buildFinishedError(state);
  if (reply.confirm !== undefined) {
    const error = confirmAction(draft, actor, name, reply.confirm, reply.reason);
    if (error) return error;
  }
  return reply.answers === undefined
    ? undefined
    : answerQuestions(draft, actor, name, reply.answers, about);
}

/** Matches answers by key, or a single value to the question in `re`, else to the only open one (decision 16). */
export function answerQuestions(
  draft: ThreadDraft,
  actor: string,
  name: string,
  answers: Json,
  about: string | undefined,
): MessError | undefined {
  const { state } = draft;
  if (isFinal(state.status)) return buildFinishedError(state);
  if (state.questions.length === 0) return buildNoQuestionError("no question is open");
  const keys = state.questions.map(({ key }) => key);
  if (isMap(answers)) {
    const unknown = Object.keys(answers).find((key) => !keys.includes(key));
    if (unknown !== undefined)
      return {
        code: "unknown_question",
        message: `there is no open question with the key ${unknown}`,
        hint: "Use the keys of the open questions.",
        valid: keys,
      };
    return resolveQuestions(draft, actor, name, Object.keys(answers));
  }
  const candidates = state.questions.filter(
    ({ asked_in }) => about === undefined || asked_in === about,
  );
  const [onlyCandidate, ...others] = candidates;
  if (onlyCandidate === undefined || others.length > 0)
    return {
      code: "unknown_question",
      message: `${keys.length} questions are open, and the answer does not name one`,
      hint: "Send answers as a map from question to value.",
      valid: keys,
    };
  return resolveQuestions(draft, actor, name, [onlyCandidate.key]);
}

function resolveQuestions(
  draft: ThreadDraft,
  actor: string,
  name: string,
  answered: string[],
): undefined {
  const { state } = draft;
  state.questions = state.questions.filter(({ key }) => !answered.includes(key));
  if (state.questions.length > 0) {
    recordAnswer(draft);
    return;
  }
  draft.log("replied", actor, name);
  state.status = state.resume;
  delete state.soft_claim;
  renewLease(draft);
}

function confirmAction(
  draft: ThreadDraft,
  actor: string,
  name: string,
  isConfirmed: boolean,
  reason: string | undefined,
): MessError | undefined {
  const { state } = draft;
  const { action } = state;
  if (!action?.open) return buildNoQuestionError("no action is waiting for a confirmation");
  action.open = false;
  draft.log("replied", actor, name, isConfirmed ? `confirmed: ${action.text}` : reason);
  if (isConfirmed) {
    if (!state.confirmed.includes(action.text))
      state.confirmed = [...state.confirmed, action.text].slice(-MAX_CONFIRMED_ACTIONS);
    // A hold that the requestor's own refusal caused ends with the confirmation.
    if (state.resume === "held") state.resume = "in_progress";
    state.status = state.resume;
  } else {
    state.confirmed = state.confirmed.filter((text) => text !== action.text);
    draft.move("held", actor, name, reason ?? "not confirmed");
    state.resume = "held";
  }
  renewLease(draft);
  return undefined;
}
