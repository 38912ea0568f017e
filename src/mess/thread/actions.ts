/**
 * Determines the actions that a member may take in a thread now. Each action is tried on the state machine with a
 * minimal message, so that the offered actions always match the accepted ones.
 */
import type { ErrorCode } from "../errors.ts";
import type { Candidate } from "../routing/routing.ts";
import type { Block, Message } from "../wire/schema.ts";
import { applyMessage } from "./apply.ts";
import type { MessageSender } from "./policy.ts";
import type { ThreadState } from "./state.ts";

/** Status codes, then the other messages; `resume` is `in_progress` after a pause. */
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

/** An action, and the reason where it is not allowed. */
export interface ActionPermission {
  action: Action;
  allowed: boolean;
  /** The error's code, which a page can translate, and its message. */
  reason?: ErrorCode;
  message?: string;
}

const PAUSED_STATUSES = ["waiting", "held"];

/** Builds the minimal message of the action. */
export function buildExample(action: Action): Message {
  switch (action) {
    case "response":
      return toMessage({ type: "response", body: { content: ["…"] } });
    case "suggestion":
      return toMessage({ type: "suggestion", body: { type: "alternative" } });
    case "followup":
      return toMessage({ type: "followup", body: { message: "…" } });
    case "cancel":
    case "review":
      return toMessage({ type: action, body: {} });
    case "needs_input":
      return buildStatus(action, { questions: [{ id: "q1", field: "q1", question: "…" }] });
    case "needs_confirmation":
      return buildStatus(action, { action: "…" });
    case "delegated":
      return buildStatus(action, { delegated_to: "member" });
    case "resume":
      return buildStatus("in_progress", {});
    default:
      return buildStatus(action, {});
  }
}

const toMessage = (block: object): Message => ({ blocks: [block as Block] });

const buildStatus = (code: string, fields: object): Message =>
  toMessage({ type: "status", body: { code, ...fields } });

/** Whether a delegation is allowed does not depend on its target. */
const EXAMPLE_DELEGATE: Candidate = { id: "member", kind: "person", lease: 1 };

/**
 * Lists every action, with whether the thread would accept it from this sender.
 * @param now milliseconds since 1970 UTC
 */
export const listPermissions = (
  state: ThreadState,
  sender: MessageSender,
  now: number,
): ActionPermission[] =>
  ACTIONS.map((action) => {
    if (action === "resume" && !PAUSED_STATUSES.includes(state.status))
      return refuseAction(action, "illegal_transition", "the work is not paused");
    const incoming = {
      sender,
      channel: "",
      message: buildExample(action),
      delegate: EXAMPLE_DELEGATE,
    };
    const applied = applyMessage(state, incoming, now);
    return applied.ok
      ? { action, allowed: true }
      : refuseAction(action, applied.error.code, applied.error.message);
  });

const refuseAction = (action: Action, reason: ErrorCode, message: string): ActionPermission => ({
  action,
  allowed: false,
  reason,
  message,
});
