/** How a Durable Object is addressed: the only place that knows the names of objects and where they are placed. */
import type { HouseholdRpc } from "./contracts/household.ts";
import type { ThreadRpc } from "./contracts/thread.ts";

/** The object of one household. */
export function householdStub(env: Pick<Env, "HOUSEHOLDS">, household: string): HouseholdRpc {
  // The generated type of the stub mirrors the class and nests too deeply for the compiler to compare.
  const stub: unknown = env.HOUSEHOLDS.getByName(household);
  return stub as HouseholdRpc;
}

/** The object of one thread. Its name contains the household, so a ref alone cannot reach another household's thread. */
export function threadStub(env: Pick<Env, "THREADS">, household: string, ref: string): ThreadRpc {
  const stub: unknown = env.THREADS.getByName(`${household}/${ref}`);
  return stub as ThreadRpc;
}
