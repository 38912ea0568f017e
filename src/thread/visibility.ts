/** Who sees a thread, and who only reads it (decision 65). */
import type { Principal } from "../auth/principal.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { isSourceRequestor } from "../mess/sources/request-origin.ts";
import { canSee } from "../mess/thread/policy.ts";
import type { ThreadState } from "../mess/thread/state.ts";

const takesPart = (state: ThreadState, { actor, role }: Principal): boolean =>
  canSee(state, { actor, owner: role === "owner" });

/**
 * The bearer of a link sees its thread only. Requests of message sources show the owner's mail: also members of an
 * open household see them only as participants.
 */
export const isVisibleTo = (state: ThreadState, viewer: Principal): boolean =>
  (viewer.scope === undefined || viewer.scope.ref === state.ref) &&
  ((viewer.readsAll === true && !isSourceRequestor(state.requestor)) || takesPart(state, viewer));

/** A refusal for viewers who read the thread without a part in it; undefined for all others. */
export const refuseReader = (state: ThreadState, viewer: Principal): Outcome<never> | undefined =>
  takesPart(state, viewer)
    ? undefined
    : refuse(
        "wrong_role",
        "you may read this thread, but take no part in it",
        "Create a request of your own, or ask an owner to delegate this one to you.",
      );
