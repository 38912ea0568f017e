/**
 * Compares a result with the expectation of a case (README.md, Comparison). Maps are compared by the keys of the
 * expectation, lists item by item, scalars by value. One-key maps whose key begins with `$` are operators.
 */
import { isMap, type Json } from "../../src/mess/json.ts";

const MATCHERS: Readonly<
  Record<string, (wanted: Json, found: Json | undefined, at: string) => string[]>
> = {
  $exactly: (wanted, found, at) => compare(wanted, found, at, true),
  $includes: (wanted, found, at) => compare(wanted, found, at, false),
  $absent: (_wanted, found, at) =>
    found === undefined ? [] : [`${at}: ${show(found)} where nothing is expected`],
  $present: (_wanted, found, at) => (found === undefined ? [`${at}: missing`] : []),
  $length: (wanted, found, at) =>
    (Array.isArray(found) || typeof found === "string") && found.length === wanted
      ? []
      : [`${at}: ${show(found)} has not the length ${show(wanted)}`],
  $matches: (wanted, found, at) =>
    typeof found === "string" && new RegExp(wanted as string, "u").test(found)
      ? []
      : [`${at}: ${show(found)} does not match ${show(wanted)}`],
  $contains: (wanted, found, at) => {
    const items = Array.isArray(found) ? found : [];
    return (Array.isArray(wanted) ? wanted : [wanted]).flatMap((one) =>
      items.some((item) => compare(one, item, at, false).length === 0)
        ? []
        : [`${at}: ${show(found)} does not hold ${show(one)}`],
    );
  },
};

const show = (value: Json | undefined): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
};

/**
 * Lists the differences, one line each; empty if the result is as expected.
 * @param exact maps may contain only expected keys
 */
export function compare(
  wanted: Json,
  found: Json | undefined,
  at = "then",
  exact = false,
): string[] {
  if (isMap(wanted)) {
    const [key = "", ...more] = Object.keys(wanted);
    const matcher = more.length === 0 && Object.hasOwn(MATCHERS, key) ? MATCHERS[key] : undefined;
    if (matcher) return matcher(wanted[key]!, found, at);
    if (!isMap(found)) return [`${at}: ${show(found)} where ${show(wanted)} is expected`];
    const extra = exact ? Object.keys(found).filter((name) => !Object.hasOwn(wanted, name)) : [];
    return [
      ...Object.entries(wanted).flatMap(([name, value]) =>
        compare(value, found[name], `${at}.${name}`, exact),
      ),
      ...extra.map((name) => `${at}.${name}: ${show(found[name])} is not expected`),
    ];
  }
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found) || found.length !== wanted.length)
      return [`${at}: ${show(found)} where ${show(wanted)} is expected`];
    return wanted.flatMap((value, index) => compare(value, found[index], `${at}[${index}]`, exact));
  }
  return Object.is(wanted, found)
    ? []
    : [`${at}: ${show(found)} where ${show(wanted)} is expected`];
}
