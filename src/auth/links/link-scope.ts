/** Limits the bearer of a link to its thread and its permissions (decision 65). */
import type { MessError } from "../../mess/errors.ts";
import { splitTarget } from "../../mess/refs.ts";
import type { Message } from "../../mess/wire/schema.ts";
import type { LinkPermission, Principal } from "../principal.ts";

/** The permission that a message requires. */
function getRequiredPermission({ blocks }: Message): LinkPermission {
  const codes = blocks.map((block) => (block.type === "status" ? block.body.code : block.type));
  if (codes.every((code) => code === "declined" || code === "cancelled")) return "decline";
  return codes.every((code) => code === "claimed") ? "claim" : "respond";
}

/** A refusal if the message exceeds the link; undefined within the link, and for credentials without a scope. */
export function checkLinkScope(
  principal: Principal,
  messages: readonly Message[],
): MessError | undefined {
  const { scope } = principal;
  if (!scope) return undefined;
  for (const message of messages) {
    if (splitTarget(message.re ?? "").thread !== scope.ref)
      return {
        code: "not_found",
        message: "thread not found",
        hint: "A link gives access to one thread only.",
      };
    const permission = getRequiredPermission(message);
    if (!scope.permissions.includes(permission))
      return {
        code: "wrong_role",
        message: `this link does not have the permission ${permission}`,
        hint: "Request a link with that permission.",
        valid: scope.permissions,
      };
  }
  return undefined;
}
