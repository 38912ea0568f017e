/** Creates the stubs of Durable Objects. Only this module knows the names of the objects. */
import type { GroupRpc } from "./contracts/groups.ts";
import type { HouseholdFacets, HouseholdObjectRpc, HouseholdRpc } from "./contracts/household.ts";
import type { ThreadRpc } from "./contracts/thread.ts";

/** Returns the stub of a household's object. */
export function getHouseholdStub(env: Pick<Env, "HOUSEHOLDS">, household: string): HouseholdRpc {
  // The generated type of the stub mirrors the class and nests too deeply for the compiler to compare.
  const stub: unknown = env.HOUSEHOLDS.getByName(household);
  const object = stub as HouseholdObjectRpc;
  // Most callers use one facet.
  return {
    get identity() {
      return createFacetStub(object, "identity");
    },
    get contacts() {
      return createFacetStub(object, "contacts");
    },
    get threads() {
      return createFacetStub(object, "threads");
    },
    get schedules() {
      return createFacetStub(object, "schedules");
    },
    get settings() {
      return createFacetStub(object, "settings");
    },
    get secrets() {
      return createFacetStub(object, "secrets");
    },
    get events() {
      return createFacetStub(object, "events");
    },
    get audit() {
      return createFacetStub(object, "audit");
    },
    get quotas() {
      return createFacetStub(object, "quotas");
    },
    get mcpSessions() {
      return createFacetStub(object, "mcpSessions");
    },
    get groups() {
      return createFacetStub(object, "groups");
    },
    get reservations() {
      return createFacetStub(object, "reservations");
    },
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
