/**
 * Checks the values of a page's form by the JSON Schemas in the request's hints (protocol §3.2). The page has checked
 * them before; other senders may deliver any values. Keywords that a form cannot show are ignored, among them
 * `pattern`: an untrusted expression could take exponential time.
 */
import type { MessError } from "../errors.ts";
import { isMap, type Json, type JsonMap } from "../json.ts";

const FORM_HINTS = ["structured", "json", "form", "schema", "json_schema"];
const MAX_DEPTH = 8;

interface Issue {
  path: string[];
  /** The rule that the value breaks. */
  rule: string;
}

/** Maps: the names of types and formats come from the request, and an object also has inherited keys. */
const IS_OF_TYPE = new Map<string, (value: Json) => boolean>(
  Object.entries({
    string: (value) => typeof value === "string",
    number: (value) => typeof value === "number",
    integer: (value) => Number.isInteger(value),
    boolean: (value) => typeof value === "boolean",
    null: (value) => value === null,
    array: (value) => Array.isArray(value),
    object: (value) => isMap(value),
  } satisfies Record<string, (value: Json) => boolean>),
);

const HAS_FORMAT = new Map<string, (text: string) => boolean>(
  Object.entries({
    email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
    uri: (text) => URL.canParse(text),
    url: (text) => URL.canParse(text),
    date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
    time: (text) => /^\d\d:\d\d/.test(text),
    "date-time": (text) => !Number.isNaN(Date.parse(text)),
  } satisfies Record<string, (text: string) => boolean>),
);

/** Pairs of keywords, with the measure of the value that they limit. */
const BOUNDS: readonly (readonly [min: string, max: string, measure: (value: Json) => unknown])[] =
  [
    ["minimum", "maximum", (value) => value],
    ["minLength", "maxLength", (value) => (typeof value === "string" ? value.length : undefined)],
    ["minItems", "maxItems", (value) => (Array.isArray(value) ? value.length : undefined)],
  ];

/** The values of each `enum` as JSON: a list in a form may be checked against a long one for each of its items. */
const enumTexts = new WeakMap<readonly Json[], ReadonlySet<string>>();

function isInEnum(list: readonly Json[], value: Json): boolean {
  const texts = enumTexts.get(list) ?? new Set(list.map((one) => JSON.stringify(one)));
  enumTexts.set(list, texts);
  return texts.has(JSON.stringify(value));
}

/** The first keyword that the value itself breaks, without the values inside it. */
function findBrokenKeyword(schema: JsonMap, value: Json): string | undefined {
  const types = [schema["type"] ?? []].flat().filter((type) => typeof type === "string");
  if (types.length > 0 && !types.some((type) => IS_OF_TYPE.get(type)?.(value) ?? true))
    return "type";
  if (Array.isArray(schema["enum"]) && !isInEnum(schema["enum"], value)) return "enum";
  for (const [min, max, measure] of BOUNDS) {
    const size = measure(value);
    if (typeof size !== "number") continue;
    if (typeof schema[min] === "number" && size < schema[min]) return min;
    if (typeof schema[max] === "number" && size > schema[max]) return max;
  }
  const { format } = schema;
  const isValid = typeof format === "string" ? HAS_FORMAT.get(format) : undefined;
  return isValid && typeof value === "string" && !isValid(value) ? "format" : undefined;
}

function findIssue(schema: Json, value: Json, path: string[]): Issue | undefined {
  if (!isMap(schema) || path.length > MAX_DEPTH) return undefined;
  const rule = findBrokenKeyword(schema, value);
  if (rule !== undefined) return { path, rule };
  if (Array.isArray(value))
    return findFirst(value, (one, index) =>
      findIssue(schema["items"] ?? {}, one, [...path, String(index)]),
    );
  if (!isMap(value)) return undefined;
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  const missing = required.find((key) => getOwn(value, key) === undefined);
  if (missing !== undefined) return { path: [...path, missing], rule: "required" };
  const properties = isMap(schema["properties"]) ? schema["properties"] : {};
  return findFirst(Object.entries(properties), ([key, inner]) => {
    const one = getOwn(value, key);
    return one === undefined ? undefined : findIssue(inner, one, [...path, key]);
  });
}

const getOwn = (map: JsonMap, key: string): Json | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;

function findFirst<T>(
  items: readonly T[],
  find: (item: T, index: number) => Issue | undefined,
): Issue | undefined {
  for (const [index, item] of items.entries()) {
    const issue = find(item, index);
    if (issue) return issue;
  }
  return undefined;
}

const listSchemas = (hints: readonly Json[]): JsonMap[] =>
  hints
    .flatMap((hint) => (isMap(hint) ? Object.entries(hint) : []))
    .filter(([kind]) => FORM_HINTS.includes(kind.toLowerCase()))
    .flatMap(([, spec]) => (isMap(spec) && isMap(spec["properties"]) ? [spec] : []));

/**
 * Returns the first error of the values in the entries; undefined where they fit, or the request has no form.
 * @param hints the request's `response_hint`
 * @param content entries of the response
 */
export function checkFormValues(
  hints: readonly Json[],
  content: readonly Json[],
): MessError | undefined {
  const filled = content.flatMap((entry) => {
    const values = isMap(entry) ? (entry["structured"] ?? entry["json"]) : undefined;
    return isMap(values) ? [values] : [];
  });
  if (filled.length === 0) return undefined;
  const values = Object.assign({}, ...filled) as JsonMap;
  const issue = findFirst(listSchemas(hints), (schema) => findIssue(schema, values, []));
  if (!issue) return undefined;
  const path = ["response", "content", "structured", ...issue.path].join(".");
  return {
    code: "bad_field",
    message: `${path} does not fit the JSON Schema of the request: ${issue.rule}`,
    hint: "Correct the value by the schema in the request's response_hint.",
    path,
  };
}
