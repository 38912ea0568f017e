/** Creates the stubs of Durable Objects. Only this module knows the names of the objects. */
import type { GroupRpc } from "./contracts/groups.ts";
import type { HouseholdFacets, HouseholdObjectRpc, HouseholdRpc } from "./contracts/household.ts";
import type { ThreadRpc } from "./contracts/thread.ts";

/** Returns the stub of a household's object. */
export function getHouseholdStub(env: Pick<Env, "HOUSEHOLDS">, household: string): HouseholdRpc {
  // The generated type of the stub mirrors the class and nests too deeply for the compiler to compare.
  const stub: unknown = env.HOUSEHOLDS.getByName(household);
  const object = stub as HouseholdObjectRpc;
  return {
    identity: createFacetStub(object, "identity"),
    contacts: createFacetStub(object, "contacts"),
    threads: createFacetStub(object, "threads"),
    schedules: createFacetStub(object, "schedules"),
    settings: createFacetStub(object, "settings"),
    secrets: createFacetStub(object, "secrets"),
    events: createFacetStub(object, "events"),
    audit: createFacetStub(object, "audit"),
    quotas: createFacetStub(object, "quotas"),
    mcpSessions: createFacetStub(object, "mcpSessions"),
    groups: createFacetStub(object, "groups"),
    reservations: createFacetStub(object, "reservations"),
    fetch: (request) => object.fetch(request),
  };
}

/** Turns each method call into one call of `callFacet`: a stub of an RpcTarget would cost more (decision 125). */
function createFacetStub<Name extends keyof HouseholdFacets>(
  object: HouseholdObjectRpc,
  facet: Name,
): HouseholdFacets[Name] {
  return new Proxy({} as HouseholdFacets[Name], {
    get: (_target, method) =>
      // Without `then`, an async function can return the stub.
      typeof method === "string" && method !== "then"
        ? (...args: unknown[]) => object.callFacet(facet, method, args)
        : undefined,
  });
}

/** Returns the stub of a thread's object. Its name contains the household, so a ref cannot address another's thread. */
export function getThreadStub(
  env: Pick<Env, "THREADS">,
  household: string,
  ref: string,
): ThreadRpc {
  const stub: unknown = env.THREADS.getByName(`${household}/${ref}`);
  return stub as ThreadRpc;
}

/** Returns the stub of a group's or pool's object. */
export function getGroupStub(env: Pick<Env, "GROUPS">, household: string, group: string): GroupRpc {
  const stub: unknown = env.GROUPS.getByName(`${household}/${group}`);
  return stub as GroupRpc;
}
