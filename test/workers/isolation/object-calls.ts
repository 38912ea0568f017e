/** Records the work of a call: the methods of objects it calls, and its statements and reads in the other stores. */
import { env } from "cloudflare:workers";
import { vi } from "vitest";

type Methods = Record<string, (...given: unknown[]) => unknown>;

export interface RecordedCall {
  /** Such as `household.authenticateKey` or `INDEX.prepare`. */
  method: string;
  /** The object's name. */
  object?: string;
}

/** Records until `vi.restoreAllMocks()`; returns the growing list. */
export function recordCalls(): RecordedCall[] {
  const calls: RecordedCall[] = [];
  const recordObjects = (binding: { getByName(name: string): object }, kind: string) => {
    const getStub = binding.getByName.bind(binding);
    vi.spyOn(binding, "getByName").mockImplementation(
      (object) =>
        new Proxy(getStub(object) as Methods, {
          get: (stub, property) => {
            const method = String(property);
            if (typeof stub[method] !== "function") return stub[method];
            return async (...given: unknown[]) => {
              const called = String(method === "callFacet" ? given[1] : method);
              calls.push({ method: `${kind}.${called}`, object });
              // `apply` on a method of a stub would be a call to the object.
              return await stub[method]!(...given);
            };
          },
        }),
    );
  };
  recordObjects(env.HOUSEHOLDS, "household");
  recordObjects(env.THREADS, "thread");
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
