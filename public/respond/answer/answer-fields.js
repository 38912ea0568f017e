/**
 * Reads from `response_hint` and the questions of a request which answer it expects (protocol §3.2): kinds of
 * entries and form fields. Pure. Hints it does not understand are ignored; a text answer is always possible.
 */

import { readDraft, toSchema } from "./draft.js";

/** Hints whose details are a form. */
const FORMS = ["structured", "json", "form", "schema", "json_schema"];
const KINDS = ["text", "image", "audio", "video", "file", "location"];

/** @param {unknown} value @returns {value is JsonMap} */
const isMap = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {unknown} value */
const label = (value) => (typeof value === "string" ? value : "");

/** @param {unknown} value @returns {value is string | number | boolean} */
const isScalar = (value) => ["string", "number", "boolean"].includes(typeof value);

/** Names of the options, with their values where those differ. @param {unknown} list @returns {{ options: string[], values?: Json[] } | undefined} */
function readOptions(list) {
  if (!Array.isArray(list)) return undefined;
  const read = list
    .map((one) =>
      isMap(one)
        ? {
            name: one["label"] ?? one["title"] ?? one["value"] ?? one["id"],
            value: one["value"] ?? one["id"] ?? one["const"] ?? one["label"],
          }
        : { name: one, value: one },
    )
    .filter(({ name, value }) => isScalar(name) && isScalar(value));
  if (read.length === 0) return undefined;
  const options = read.map(({ name }) => String(name));
  const values = read.map(({ value }) => /** @type {Json} */ (value));
  const isSame = values.every((value, index) => value === options[index]);
  return isSame ? { options } : { options, values };
}

/** Field type by its spellings in hints and JSON Schema. @type {Record<string, FieldSpec["type"]>} */
const TYPES = {
  choice: "choice",
  select: "choice",
  option: "choice",
  enum: "choice",
  choices: "choices",
  multiple: "choices",
  boolean: "boolean",
  bool: "boolean",
  yes_no: "boolean",
  "yes/no": "boolean",
  confirmation: "boolean",
  number: "number",
  integer: "integer",
  float: "number",
  count: "integer",
  rating: "rating",
  stars: "rating",
  date: "date",
  time: "time",
  datetime: "datetime",
  date_time: "datetime",
  email: "email",
  url: "url",
  uri: "url",
  photo: "photo",
  image: "photo",
  array: "list",
  list: "list",
  object: "group",
  text: "text",
  string: "text",
};

/** @param {unknown} value */
function toType(value) {
  if (typeof value !== "string") return undefined;
  const name = value.trim().toLowerCase().replaceAll("-", "_");
  // The name comes from the request, and TYPES also has inherited keys.
  return Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
}

/** @param {unknown} value */
const number = (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);

/** The type of a JSON Schema, which may be a list with `null`. @param {unknown} type */
const firstType = (type) => (Array.isArray(type) ? type.find((one) => one !== "null") : type);

const MAX_DEPTH = 4;
/** Fields of a form, those inside groups included: every field is a control that the browser builds. */
const MAX_FIELDS = 40;

/** A copy without the keys that are undefined. @template {object} T @param {T} spec @returns {T} */
const compact = (spec) =>
  /** @type {T} */ (
    Object.fromEntries(Object.entries(spec).filter(([, one]) => one !== undefined))
  );

/**
 * Builds a field from a type name, a list of options, a label, or a map of these, such as a JSON Schema.
 * @param {string} key
 * @param {unknown} spec
 * @param {FieldSpec["type"]} [usual]
 * @param {number} [depth]
 * @returns {FieldSpec}
 */
function field(key, spec, usual, depth = 0) {
  const listed = readOptions(spec);
  if (listed) return { key, label: key, type: "choice", ...listed };
  if (!isMap(spec)) {
    const type = toType(spec);
    return { key, label: type ? key : label(spec) || key, type: type ?? usual ?? "text" };
  }
  const items = isMap(spec["items"]) ? spec["items"] : undefined;
  const own =
    readOptions(spec["options"]) ?? readOptions(spec["enum"]) ?? readOptions(spec["choices"]);
  const offered = own ?? readOptions(spec["oneOf"]) ?? readOptions(items?.["enum"]);
  const many = spec["multiple"] === true || (items !== undefined && offered !== own);
  const given =
    toType(spec["format"]) ??
    toType(firstType(spec["type"])) ??
    (spec["properties"] ? "group" : usual);
  // Without options, a choice becomes a text field.
  const plain = given === undefined || (given.startsWith("choice") && !offered) ? "text" : given;
  const isTooDeep = depth >= MAX_DEPTH && ["group", "list"].includes(plain);
  const type = offered
    ? many || plain === "choices"
      ? "choices"
      : "choice"
    : isTooDeep
      ? "text"
      : plain;
  const isCounted = type === "list" || type === "choices";
  return compact({
    key,
    label: label(spec["question"] ?? spec["label"] ?? spec["title"] ?? spec["description"]) || key,
    type,
    ...offered,
    min: number(isCounted ? spec["minItems"] : (spec["min"] ?? spec["minimum"])),
    max: number(isCounted ? spec["maxItems"] : (spec["max"] ?? spec["maximum"])),
    minLength: number(spec["minLength"]),
    maxLength: number(spec["maxLength"]),
    required: spec["required"] === true ? true : undefined,
    default: /** @type {Json | undefined} */ (spec["default"]),
    hint:
      spec["title"] && typeof spec["description"] === "string" ? spec["description"] : undefined,
    other: spec["other"] === true || spec["allow_other"] === true ? true : undefined,
    fields: type === "group" ? toFields(spec, depth + 1) : undefined,
    items: type === "list" ? field("", items ?? {}, "text", depth + 1) : undefined,
  });
}

/**
 * The fields of `structured`: a map of specs by key, or a JSON Schema with properties.
 * @param {JsonMap} spec
 * @param {number} [depth]
 * @returns {FieldSpec[]}
 */
function toFields(spec, depth = 0) {
  const properties = isMap(spec["properties"]) ? spec["properties"] : spec;
  const required = Array.isArray(spec["required"]) ? spec["required"] : [];
  return Object.entries(properties).map(([key, one]) => ({
    ...field(key, one, undefined, depth),
    ...(properties !== spec && required.includes(key) ? { required: true } : {}),
  }));
}

/**
 * @param {string} kind
 * @param {unknown} spec
 * @param {AnswerSpec} found
 */
function readHint(kind, spec, found) {
  if (KINDS.includes(kind)) {
    found.kinds.push({ kind, label: label(spec) });
    return;
  }
  if (kind === "confirmation") {
    const one = field("confirmation", isMap(spec) ? spec : label(spec), "boolean");
    found.fields.push({
      ...one,
      label: one.label === "confirmation" ? "" : one.label,
      type: "boolean",
      confirmation: true,
    });
    return;
  }
  if (kind === "draft") {
    found.draft ??= readDraft(spec);
    return;
  }
  if (FORMS.includes(kind)) {
    if (isMap(spec)) found.fields.push(...toFields(spec));
    else if (Array.isArray(spec)) found.fields.push(...spec.flatMap(question));
    return;
  }
  const type = toType(kind);
  if (type === undefined) return;
  const one = field(kind, spec, type);
  const key = isMap(spec) && typeof spec["field"] === "string" ? spec["field"] : kind;
  // `choice: [a, b]` has no label.
  found.fields.push({ ...one, key, label: one.label === kind ? "" : one.label });
}

/** @param {unknown} questions @returns {FieldSpec[]} */
function question(questions) {
  if (typeof questions === "string") return [{ key: questions, label: questions, type: "text" }];
  if (!isMap(questions)) return [];
  const key = questions["field"] ?? questions["id"] ?? questions["question"];
  return typeof key === "string" ? [field(key, questions)] : [];
}

/**
 * @param {JsonMap} request the body of the thread's request
 * @returns {AnswerSpec}
 */
export function getSpec(request) {
  /** @type {AnswerSpec} */
  const found = { fields: [], kinds: [] };
  const hints = request["response_hint"];
  for (const hint of Array.isArray(hints) ? hints : []) {
    if (typeof hint === "string") readHint(hint.trim().toLowerCase(), undefined, found);
    else if (isMap(hint) && (hint["question"] !== undefined || hint["field"] !== undefined))
      found.fields.push(...question(hint));
    else if (isMap(hint))
      for (const [kind, spec] of Object.entries(hint)) readHint(kind.toLowerCase(), spec, found);
  }
  const questions = request["questions"];
  if (Array.isArray(questions)) found.fields.push(...questions.flatMap(question));
  // A bare yes or no answers the request itself.
  for (const one of found.fields)
    if (one.type === "boolean" && one.label === "") one.label = label(request["intent"]);
  for (const [key, value] of Object.entries(found.draft?.values ?? {}))
    found.fields.push(field(key, toSchema(value)));
  const keys = new Set();
  const unique = found.fields.filter(({ key }) => !keys.has(key) && keys.add(key));
  found.fields = limitFields(unique, { left: MAX_FIELDS });
  return found;
}

/**
 * The first fields that fit into the form; groups and lists keep the part of theirs that fits.
 * @param {FieldSpec[]} fields
 * @param {{ left: number }} budget
 * @returns {FieldSpec[]}
 */
function limitFields(fields, budget) {
  const kept = [];
  for (const one of fields) {
    if (budget.left <= 0) break;
    budget.left--;
    kept.push(
      compact({
        ...one,
        fields: one.fields && limitFields(one.fields, budget),
        items: one.items && {
          ...one.items,
          fields: one.items.fields && limitFields(one.items.fields, budget),
        },
      }),
    );
  }
  return kept;
}

/** True if the request asks for specific entries or values, or for the approval of a draft. @param {AnswerSpec} spec */
export const needsForm = ({ kinds, fields, draft }) =>
  kinds.length + fields.length > 0 || draft !== undefined;
