/** Intercepts the calls to Durable Objects. */
import { vi } from "vitest";

type Methods = Record<string, (...given: unknown[]) => unknown>;

/**
 * Runs `around` in place of each call to an object of the binding, until `vi.restoreAllMocks()`.
 * @param kind the first part of the method's name, as in `household.authenticateKey`
 */
export function interceptCalls(
  binding: { getByName(name: string): object },
  kind: string,
  around: (method: string, object: string, call: () => unknown) => Promise<unknown>,
): void {
  const getStub = binding.getByName.bind(binding);
  vi.spyOn(binding, "getByName").mockImplementation(
    (object) =>
      new Proxy(getStub(object) as Methods, {
        get: (stub, property) => {
          const method = String(property);
          if (typeof stub[method] !== "function") return stub[method];
          return async (...given: unknown[]) => {
            const called = String(method === "callFacet" ? given[1] : method);
            // `apply` on a method of a stub would be a call to the object.
            return await around(`${kind}.${called}`, object, () => stub[method]!(...given));
          };
        },
      }),
  );
}
