/** The place of a pending request in the queue of executors at their capacity. */
import type { Principal } from "../auth/principal.ts";
import type { Envelope } from "../mess/envelope.ts";
import { getHouseholdStub } from "../stubs.ts";

/** Undefined where the request does not wait in a queue. The caller may see the thread. */
export const readQueuePosition = async (
  env: Pick<Env, "HOUSEHOLDS">,
  { household }: Principal,
  { ref, status, executor }: Pick<Envelope, "ref" | "status" | "executor">,
): Promise<number | undefined> =>
  status === "pending" && executor === null
    ? ((await getHouseholdStub(env, household).threads.getQueuePosition(ref)) ?? undefined)
    : undefined;
