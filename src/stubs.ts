/** Creates the stubs of Durable Objects. Only this module knows the names of the objects. */
import type { GroupRpc } from "./contracts/groups.ts";
import type { HouseholdFacets, HouseholdObjectRpc, HouseholdRpc } from "./contracts/household.ts";
import type { SourceFacets, SourceObjectRpc, SourceRpc } from "./contracts/sources.ts";
import type { ThreadRpc } from "./contracts/thread.ts";

/** Returns the stub of a household's object. */
export function getHouseholdStub(env: Pick<Env, "HOUSEHOLDS">, household: string): HouseholdRpc {
  // The generated type of the stub mirrors the class and nests too deeply for the compiler to compare.
  const stub: unknown = env.HOUSEHOLDS.getByName(household);
  const object = stub as HouseholdObjectRpc;
  const facet = <Name extends keyof HouseholdFacets>(name: Name) =>
    createFacetStub((...call) => object.callFacet(name, ...call)) as HouseholdFacets[Name];
  // Most callers use one facet.
  return {
    get identity() {
      return facet("identity");
    },
    get contacts() {
      return facet("contacts");
    },
    get threads() {
      return facet("threads");
    },
    get schedules() {
      return facet("schedules");
    },
    get settings() {
      return facet("settings");
    },
    get secrets() {
      return facet("secrets");
    },
    get events() {
      return facet("events");
    },
    get audit() {
      return facet("audit");
    },
    get quotas() {
      return facet("quotas");
    },
    get mcpSessions() {
      return facet("mcpSessions");
    },
    get groups() {
      return facet("groups");
    },
    get reservations() {
      return facet("reservations");
    },
    get sources() {
      return facet("sources");
    },
    fetch: (request) => object.fetch(request),
  };
}

/** Turns each method call into one call of `callFacet`: a stub of an RpcTarget would cost more (decision 125). */
const createFacetStub = (call: (method: string, args: unknown[]) => Promise<unknown>): object =>
  new Proxy(Object.create(null) as object, {
    get: (_target, method) =>
      // Without `then`, an async function can return the stub.
      typeof method === "string" && method !== "then"
        ? (...args: unknown[]) => call(method, args)
        : undefined,
  });

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

/** Returns the stub of a message source's object. */
export function getSourceStub(
  env: Pick<Env, "SOURCES">,
  household: string,
  source: string,
): SourceRpc {
  const stub: unknown = env.SOURCES.getByName(`${household}/${source}`);
  const object = stub as SourceObjectRpc;
  const facet = <Name extends keyof SourceFacets>(name: Name) =>
    createFacetStub((...call) => object.callFacet(name, ...call)) as SourceFacets[Name];
  return {
    get messages() {
      return facet("messages");
    },
    get watcher() {
      return facet("watcher");
    },
    get outbox() {
      return facet("outbox");
    },
    get kind() {
      return facet("kind");
    },
    sync: (record) => object.sync(record),
    takeRequestChange: (change) => object.takeRequestChange(change),
    erase: (source) => object.erase(source),
    fetch: (request) => object.fetch(request),
  };
}
