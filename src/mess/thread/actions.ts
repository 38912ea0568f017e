/**
 * What a member may do in a thread now. The state machine itself is asked, with the shortest message of each action,
 * so that what is offered and what is taken cannot part.
 */
import type { ErrorCode } from "../errors.ts";
import type { Candidate } from "../routing/routing.ts";
import type { Block, Message } from "../wire/schema.ts";
import { applyMessage } from "./apply.ts";
import type { Sender } from "./policy.ts";
import type { ThreadState } from "./state.ts";

/** Status codes that are reported, then the other messages; `resume` is `in_progress` after a pause. */
export const ACTIONS = [
  "claimed",
  "in_progress",
  "resume",
  "waiting",
  "held",
  "needs_input",
  "needs_confirmation",
  "partial",
  "completed",
  "failed",
  "declined",
  "delegated",
  "response",
  "suggestion",
  "followup",
  "cancel",
  "review",
] as const;

export type Action = (typeof ACTIONS)[number];

/** An action, and why it is not allowed where it is not. */
export interface May {
  action: Action;
  allowed: boolean;
  /** The refusal's code, which a page can translate, and its words. */
  reason?: ErrorCode;
  message?: string;
}

const PAUSED = ["waiting", "held"];

/** The shortest message of the action. */
export function exampleOf(action: Action): Message {
  switch (action) {
    case "response":
      return only({ type: "response", body: { content: ["…"] } });
    case "suggestion":
      return only({ type: "suggestion", body: { type: "alternative" } });
    case "followup":
      return only({ type: "followup", body: { message: "…" } });
    case "cancel":
    case "review":
      return only({ type: action, body: {} });
    case "needs_input":
      return status(action, { questions: [{ id: "q1", field: "q1", question: "…" }] });
    case "needs_confirmation":
      return status(action, { action: "…" });
    case "delegated":
      return status(action, { delegated_to: "member" });
    case "resume":
      return status("in_progress", {});
    default:
      return status(action, {});
  }
}

const only = (block: object): Message => ({ blocks: [block as Block] });

const status = (code: string, fields: object): Message =>
  only({ type: "status", body: { code, ...fields } });

/** A delegation is allowed or not whoever it goes to. */
const DELEGATE: Candidate = { id: "member", kind: "person", lease: 1 };

/**
 * Every action with whether the thread would take it from this sender.
 * @param now milliseconds since 1970 UTC
 */
export const mayOf = (state: ThreadState, sender: Sender, now: number): May[] =>
  ACTIONS.map((action) => {
    if (action === "resume" && !PAUSED.includes(state.status))
      return refused(action, "illegal_transition", "the work is not paused");
    const incoming = { sender, channel: "", message: exampleOf(action), delegate: DELEGATE };
    const applied = applyMessage(state, incoming, now);
    return applied.ok
      ? { action, allowed: true }
      : refused(action, applied.error.code, applied.error.message);
  });

const refused = (action: Action, reason: ErrorCode, message: string): May => ({
  action,
  allowed: false,
  reason,
  message,
});
