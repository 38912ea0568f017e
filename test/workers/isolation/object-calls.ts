/** Records the work of a call: the methods of objects it calls, and its statements and reads in the other stores. */
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { interceptCalls } from "../intercept-calls.ts";
import { householdIds, isOfHousehold } from "../support.ts";

export interface RecordedCall {
  /** Such as `household.authenticateKey` or `INDEX.prepare`. */
  method: string;
  /** The object's name. */
  object?: string;
}

/**
 * Records until `vi.restoreAllMocks()`; returns the growing list. Leaves out the objects of other tests, whose timers
 * also cause calls.
 * @param ids the households of this test
 */
export function recordCalls(ids: readonly string[] = []): RecordedCall[] {
  const others = new Set([...householdIds].filter((id) => !ids.includes(id)));
  const calls: RecordedCall[] = [];
  const record = async (method: string, object: string, call: () => unknown) => {
    if (!isOfHousehold(object, others)) calls.push({ method, object });
    return await call();
  };
  interceptCalls(env.HOUSEHOLDS, "household", record);
  interceptCalls(env.THREADS, "thread", record);
  interceptCalls(env.GROUPS, "group", record);
  interceptCalls(env.SOURCES, "source", record);
  const prepare = env.INDEX.prepare.bind(env.INDEX);
  vi.spyOn(env.INDEX, "prepare").mockImplementation((sql) => {
    calls.push({ method: "INDEX.prepare" });
    return prepare(sql);
  });
  const get = env.BLOBS.get.bind(env.BLOBS) as (...given: unknown[]) => Promise<R2ObjectBody>;
  vi.spyOn(env.BLOBS, "get").mockImplementation(async (...given: unknown[]) => {
    calls.push({ method: "BLOBS.get" });
    return await get(...given);
  });
  return calls;
}
