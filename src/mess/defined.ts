/** Objects with optional fields: a field without a value is left out, as `exactOptionalPropertyTypes` requires. */

type OptionalKeys<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];

/** The same fields; those that may be undefined are optional instead. */
type Defined<T> = { [K in Exclude<keyof T, OptionalKeys<T>>]: T[K] } & {
  [K in OptionalKeys<T>]?: Exclude<T[K], undefined>;
};

/** Returns the fields that have a value, in their order; null, false, 0 and "" are values. */
export function defined<T extends object>(fields: T): Defined<T> {
  const result: Partial<T> = {};
  for (const key of Object.keys(fields) as (keyof T)[])
    if (fields[key] !== undefined) result[key] = fields[key];
  return result as Defined<T>;
}
