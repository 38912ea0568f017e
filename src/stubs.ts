/** Creates the stubs of Durable Objects. Only this module knows the names of the objects. */
import type { HouseholdRpc } from "./contracts/household.ts";
import type { ThreadRpc } from "./contracts/thread.ts";

/** Returns the stub of a household's object. */
export function getHouseholdStub(env: Pick<Env, "HOUSEHOLDS">, household: string): HouseholdRpc {
  // The generated type of the stub mirrors the class and nests too deeply for the compiler to compare.
  const stub: unknown = env.HOUSEHOLDS.getByName(household);
  return stub as HouseholdRpc;
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
