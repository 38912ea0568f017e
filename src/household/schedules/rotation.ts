/** Rotation of a schedule. It only sets a preference, so other members do the task while the member is away. */
import type { RankedCandidate, Route } from "../../mess/routing/routing.ts";

export interface Turn {
  route: Route;
  /** The member that is offered the thread first; absent if no member of the rotation is a candidate. */
  member?: string;
}

/** The route with the member alone on the first escalation step and all others on later steps. */
export function putFirst(route: Route, member: string, reason: string): Route {
  const candidate = route.candidates.find(({ id }) => id === member);
  if (!candidate) return route;
  const first: RankedCandidate = {
    ...candidate,
    rung: 1,
    reasons: [...candidate.reasons, reason],
  };
  const others = route.candidates.filter(({ id }) => id !== member);
  const steps = [...new Set(others.map(({ rung: step }) => step))].toSorted((a, b) => a - b);
  return {
    ...route,
    candidates: [first, ...others.map((one) => ({ ...one, rung: steps.indexOf(one.rung) + 2 }))],
  };
}

/**
 * Puts the next member of the rotation after `last` that is a candidate first. Members that are not candidates lose
 * their turn.
 * @param last the member of the previous turn
 */
export function takeTurn(
  route: Route,
  rotation: readonly string[],
  last: string | undefined,
  reason: string,
): Turn {
  const start = last === undefined ? 0 : rotation.indexOf(last) + 1;
  const order = rotation.map((_, index) => rotation[(start + index) % rotation.length]!);
  const member = order.find((id) => route.candidates.some((candidate) => candidate.id === id));
  return member === undefined ? { route } : { route: putFirst(route, member, reason), member };
}
