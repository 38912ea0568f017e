/** What the requestor says back: answers, confirmations, verdicts on suggestions (decisions 16–21). */
import type { MessError } from "../errors.ts";
import { isMap, type Json } from "../json.ts";
import type { Block } from "../wire/schema.ts";
import { isFinal } from "../status.ts";
import { renewLease } from "./claims.ts";
import type { Draft } from "./thread-change.ts";
import { finishedFault, nothingAsked } from "./shared-refusals.ts";
import { judge } from "./suggestions.ts";
import { heardAnswer } from "./pending-answers.ts";

/** Confirmed actions that are remembered, each up to 4,000 characters. */
const MOST_CONFIRMED = 16;

type Reply = Extract<Block, { type: "reply" }>["body"];

/** @param about name of the message in the sender's `re`, where it named one. */
export function applyReply(
  draft: Draft,
  actor: string,
  name: string,
  reply: Reply,
  about: string | undefined,
): MessError | undefined {
  const { state } = draft;
  if (reply.accept !== undefined) {
    const fault = judge(draft, actor, name, reply.accept, about);
    if (fault) return fault;
  }
  if (reply.confirm === undefined && reply.answers === undefined) return undefined;
  if (isFinal(state.status)) return finishedFault(state);
  if (reply.confirm !== undefined) {
    const fault = confirm(draft, actor, name, reply.confirm, reply.reason);
    if (fault) return fault;
  }
  return reply.answers === undefined ? undefined : answer(draft, actor, name, reply.answers, about);
}

/** Binds answers by key, or a bare value to the question in `re`, else to the only open one (decision 16). */
export function answer(
  draft: Draft,
  actor: string,
  name: string,
  answers: Json,
  about: string | undefined,
): MessError | undefined {
  const { state } = draft;
  if (isFinal(state.status)) return finishedFault(state);
  if (state.questions.length === 0) return nothingAsked("no question is open");
  const keys = state.questions.map(({ key }) => key);
  if (isMap(answers)) {
    const unknown = Object.keys(answers).find((key) => !keys.includes(key));
    if (unknown !== undefined)
      return {
        code: "unknown_question",
        message: `no open question is called ${unknown}`,
        hint: "Use the keys of the open questions.",
        valid: keys,
      };
    return settle(draft, actor, name, Object.keys(answers));
  }
  const meant = state.questions.filter(({ asked_in }) => about === undefined || asked_in === about);
  const [only, ...others] = meant;
  if (only === undefined || others.length > 0)
    return {
      code: "unknown_question",
      message: `${keys.length} questions are open, and the answer does not say which it means`,
      hint: "Send answers as a map from question to value.",
      valid: keys,
    };
  return settle(draft, actor, name, [only.key]);
}

function settle(draft: Draft, actor: string, name: string, answered: string[]): undefined {
  const { state } = draft;
  state.questions = state.questions.filter(({ key }) => !answered.includes(key));
  if (state.questions.length > 0) {
    heardAnswer(draft);
    return;
  }
  draft.log("replied", actor, name);
  state.status = state.resume;
  delete state.soft_claim;
  renewLease(draft);
}

function confirm(
  draft: Draft,
  actor: string,
  name: string,
  yes: boolean,
  reason: string | undefined,
): MessError | undefined {
  const { state } = draft;
  const { action } = state;
  if (!action?.open) return nothingAsked("no action awaits a confirmation");
  action.open = false;
  draft.log("replied", actor, name, yes ? `confirmed: ${action.text}` : reason);
  if (yes) {
    if (!state.confirmed.includes(action.text))
      state.confirmed = [...state.confirmed, action.text].slice(-MOST_CONFIRMED);
    state.status = state.resume;
  } else {
    state.confirmed = state.confirmed.filter((text) => text !== action.text);
    draft.move("held", actor, name, reason ?? "not confirmed");
    state.resume = "held";
  }
  renewLease(draft);
  return undefined;
}
