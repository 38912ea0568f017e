/**
 * Reads from `response_hint` and the questions of a request which answer it expects (protocol §3.2): kinds of
 * entries and form fields. Pure. Hints it does not understand are ignored; a text answer is always possible.
 */

const KINDS = ["text", "image", "audio", "video", "file", "location"];

/** @param {unknown} value @returns {value is JsonMap} */
const isMap = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {unknown} value */
const label = (value) => (typeof value === "string" ? value : "");

/** @param {unknown} list @returns {string[] | undefined} */
const texts = (list) => {
  if (!Array.isArray(list)) return undefined;
  const read = list.map((one) => (isMap(one) ? (one["label"] ?? one["value"] ?? one["id"]) : one));
  const plain = read
    .filter((one) => ["string", "number", "boolean"].includes(typeof one))
    .map(String);
  return plain.length > 0 ? plain : undefined;
};

/** Field type by its spellings in hints. @type {Record<string, FieldSpec["type"]>} */
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
  integer: "number",
  float: "number",
  count: "number",
  date: "date",
  text: "text",
  string: "text",
};

/** @param {unknown} value */
const toType = (value) =>
  typeof value === "string" ? TYPES[value.trim().toLowerCase().replaceAll("-", "_")] : undefined;

/** @param {unknown} value */
const number = (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);

/**
 * Builds a field from a type name, a list of options, a label, or a map of these.
 * @param {string} key
 * @param {unknown} spec
 * @param {FieldSpec["type"]} [usual]
 * @returns {FieldSpec}
 */
function field(key, spec, usual) {
  const options = texts(spec);
  if (options) return { key, label: key, type: "choice", options };
  if (!isMap(spec)) {
    const type = toType(spec);
    return { key, label: type ? key : label(spec) || key, type: type ?? usual ?? "text" };
  }
  const inner = texts(spec["options"]) ?? texts(spec["enum"]) ?? texts(spec["choices"]);
  const many = spec["multiple"] === true;
  const [min, max] = [
    number(spec["min"] ?? spec["minimum"]),
    number(spec["max"] ?? spec["maximum"]),
  ];
  const type = inner ? (many ? "choices" : "choice") : (toType(spec["type"]) ?? usual ?? "text");
  return {
    key,
    label: label(spec["question"] ?? spec["label"] ?? spec["title"] ?? spec["description"]) || key,
    // Without options, a choice becomes a text field.
    type: type.startsWith("choice") && !inner ? "text" : type,
    ...(inner ? { options: inner } : {}),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
  };
}

/** The fields of `structured`: a map of specs by key, or a JSON Schema with properties. @param {JsonMap} spec */
const toFields = (spec) =>
  Object.entries(isMap(spec["properties"]) ? spec["properties"] : spec).map(([key, one]) =>
    field(key, one),
  );

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
  if (kind === "structured" || kind === "json" || kind === "form") {
    if (isMap(spec)) found.fields.push(...toFields(spec));
    else if (Array.isArray(spec)) found.fields.push(...spec.flatMap(question));
    return;
  }
  const type = TYPES[kind];
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
  const keys = new Set();
  found.fields = found.fields.filter(({ key }) => !keys.has(key) && keys.add(key)).slice(0, 40);
  return found;
}
