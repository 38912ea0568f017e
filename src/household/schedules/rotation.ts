/** Whose turn it is: rotation only prefers, so that a task is done by others when its member is away. */
import type { RankedCandidate, Route } from "../../mess/routing/routing.ts";

export interface Turn {
  route: Route;
  /** Who is asked first; absent where none of the rotation can be asked. */
  member?: string;
}

/** The route with one member alone on the first rung, and everyone else behind. */
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
 * The next of the rotation after `last` who can be asked at all comes first. Who cannot, loses the turn.
 * @param last whose turn it was
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
