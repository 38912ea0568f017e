/** The receiving side of RPC by facet: an object is composed of facets and exposes them through one RPC method. */

/**
 * Calls `facets[facet][method](...args)`. Only methods that the facet's own class declares can be called, so that a
 * caller cannot reach the constructor or a method of Object.prototype by its name.
 */
export async function callFacet(
  facets: object,
  facet: string,
  method: string,
  args: readonly unknown[],
): Promise<unknown> {
  const target: unknown = Object.hasOwn(facets, facet) ? Reflect.get(facets, facet) : undefined;
  const declared: unknown =
    typeof target === "object" && target !== null && method !== "constructor"
      ? Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), method)?.value
      : undefined;
  if (typeof declared !== "function")
    throw new TypeError(`no method ${facet}.${method}: call a method of the RPC contract`);
  return await (Reflect.apply(declared, target, args) as unknown);
}
