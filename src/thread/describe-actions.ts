/** What a viewer may do in the thread on a page now. */
import { refuseNoPerson, refuseUnverifiedSession } from "../auth/person-required.ts";
import { isBrowserSession, type Principal } from "../auth/principal.ts";
import type { ThreadWithActions } from "../contracts/thread-views.ts";
import { getDecision } from "../delivery/build-notice.ts";
import { defined } from "../mess/defined.ts";
import { type ActionPermission, listPermissions } from "../mess/thread/actions.ts";
import type { ThreadState } from "../mess/thread/state.ts";
import { getSessionOwner } from "./deciding-person.ts";

export function describeActions(
  state: ThreadState,
  viewer: Principal,
  now: number,
): Pick<ThreadWithActions, "may" | "decision"> {
  const decision = getDecision(state);
  const sender = { actor: viewer.actor, owner: viewer.role === "owner" };
  const may = listPermissions(state, sender, now).map((one) =>
    decision === "send" ? requirePerson(one, viewer) : one,
  );
  return { may, ...defined({ decision }) };
}

/** Completing the request sends the draft. */
function requirePerson(permission: ActionPermission, viewer: Principal): ActionPermission {
  const { action, allowed } = permission;
  if (!allowed || action !== "completed" || getSessionOwner(viewer) !== undefined)
    return permission;
  const isUnverified = viewer.role === "owner" && isBrowserSession(viewer.credential);
  const { error } = isUnverified ? refuseUnverifiedSession() : refuseNoPerson();
  return { action, allowed: false, reason: error.code, message: error.message };
}
