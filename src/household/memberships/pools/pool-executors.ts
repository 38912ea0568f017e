/** The agents of the pool as executors of the household. They are computed, and not stored in its configuration. */
import type { Executor, Route, RouteRequest } from "../../../mess/routing/routing.ts";
import { readCapabilityClaim } from "../../../mess/routing/capabilities.ts";
import { isLive } from "../../identity/end-access.ts";
import type { Stores } from "../../stores.ts";

/** Agents to which one request is offered, one after the other. */
const MAX_OFFERED_AGENTS = 10;
/** Signs of life show whether an agent works; the lease ends the claim of one that never reports. */
const LEASE_SECONDS = 7_200;

interface PoolExecutor {
  executor: Executor;
  /** Member of the household to whom the agent's key belongs. */
  actor: string;
  isFree: boolean;
}

/** The agents with capabilities whose credential has not ended, the longest waiting first. */
function listAgents(stores: Stores, now: number): PoolExecutor[] {
  return stores.pool.list("agents").flatMap(({ key, pool, capabilities, claim }) => {
    const member = stores.groupMembers.find(pool, key);
    if (capabilities.length === 0 || !member || !isLive(stores, member.credential, now)) return [];
    const { name, actor } = member;
    const executor = {
      id: key,
      name,
      kind: "machine",
      capabilities,
      lease: LEASE_SECONDS,
    } as const;
    return [{ executor, actor, isFree: claim === undefined }];
  });
}

/** Names of the agents that are or lately were in the pool, by id: their requests are shown after they have left, too. */
export const listAgentNames = ({ groupMembers }: Pick<Stores, "groupMembers">) =>
  groupMembers.list("agents").map(({ key, name }) => [key, name] as const);

/** The executors of the household and the agents of its pool, which are busy while they are claimed. */
export function listExecutorsWithAgents(
  stores: Stores,
  now: number,
): { executors: Executor[]; busy: ReadonlySet<string> } {
  const agents = listAgents(stores, now);
  return {
    executors: [...stores.members.listExecutors(), ...agents.map(({ executor }) => executor)],
    busy: new Set(agents.flatMap(({ executor, isFree }) => (isFree ? [] : [executor.id]))),
  };
}

/** The free agents that have all the capabilities that the request requires; none where it requires nothing. */
export function findAgentsFor(
  stores: Stores,
  { requires = [] }: RouteRequest,
  requestor: string | undefined,
  now: number,
): Executor[] {
  if (requires.length === 0) return [];
  const ids = requires.map((one) => readCapabilityClaim(one).id);
  return listAgents(stores, now)
    .filter(({ isFree, actor }) => isFree && actor !== requestor)
    .map(({ executor }) => executor)
    .filter(({ capabilities }) => {
      const own = capabilities.map((one) => readCapabilityClaim(one).id);
      return ids.every((id) => own.includes(id));
    })
    .slice(0, MAX_OFFERED_AGENTS);
}

/**
 * Makes each agent a step of its own, before the others of its step: an agent claims a request as soon as it gets it, and
 * a busy or silent one declines, so no one waits for the end of such a step.
 * @param agents in the order in which they are offered the request
 */
export function giveAgentsSteps(route: Route, agents: readonly Executor[]): Route {
  const places = new Map(agents.map(({ id }, place) => [id, place]));
  const steps = [...Map.groupBy(route.candidates, ({ rung }) => rung)]
    .toSorted(([one], [other]) => one - other)
    .flatMap(([, members]) => {
      const own = members
        .filter(({ id }) => places.has(id))
        .toSorted((one, other) => places.get(one.id)! - places.get(other.id)!);
      const others = members.filter(({ id }) => !places.has(id));
      return [...own.map((one) => [one]), ...(others.length > 0 ? [others] : [])];
    });
  const candidates = steps.flatMap((members, index) =>
    members.map((one) => ({ ...one, rung: index + 1 })),
  );
  return { ...route, candidates };
}
