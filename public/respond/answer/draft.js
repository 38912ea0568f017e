/**
 * A draft of the answer that came with the request (protocol §3.2): the person approves, edits or rejects it. Pure.
 */

/** @typedef {{ text: string, values: { [key: string]: Json } }} Draft */

/** @param {unknown} value @returns {value is JsonMap} */
const isMap = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {unknown} spec a text, or `{text, values}` @returns {Draft | undefined} */
export function readDraft(spec) {
  if (typeof spec === "string") return spec.trim() === "" ? undefined : { text: spec, values: {} };
  if (!isMap(spec)) return undefined;
  const text = typeof spec["text"] === "string" ? spec["text"] : "";
  const values = isMap(spec["values"]) ? spec["values"] : {};
  return text.trim() === "" && Object.keys(values).length === 0 ? undefined : { text, values };
}

/** The JSON Schema of a drafted value that no other hint describes. @param {Json} value @returns {JsonMap} */
export function toSchema(value) {
  if (typeof value === "boolean" || typeof value === "number") return { type: typeof value };
  if (Array.isArray(value)) return { type: "array", items: toSchema(value[0] ?? "") };
  if (!isMap(value)) return { type: "string" };
  const properties = Object.entries(value).map(([key, one]) => [key, toSchema(one)]);
  return { type: "object", properties: Object.fromEntries(properties) };
}

/** Drafts are for people who have not answered yet. @param {ThreadState} state */
export const isUnanswered = ({ messages, me }) =>
  !messages.some(({ from, MESS }) => from === me.executor && MESS.some((one) => "response" in one));

/** @param {Draft} draft @param {Answer} answer */
export const isUnchanged = ({ text, values }, answer) =>
  answer.text.trim() === text.trim() &&
  answer.notes.trim() === "" &&
  answer.files.length === 0 &&
  answer.place === undefined &&
  sortKeys(answer.values) === sortKeys(values);

/** JSON that does not depend on the order of keys. @param {Json} value @returns {string} */
const sortKeys = (value) =>
  JSON.stringify(value, (_key, one) =>
    isMap(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
