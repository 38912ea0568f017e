/** A request with its messages, as text for a terminal. */
import { stringify } from "yaml";
import { formatBytes, formatTime, indent, toSafeText } from "./text.js";

/** @param {any} thread as in `GET /mess/{ref}` */
export function writeThread({ envelope, messages }) {
  return `${writeHeader(envelope)}\n\n${messages.map(writeMessage).filter(Boolean).join("\n\n")}`;
}

/** @param {any} envelope */
export function writeHeader(envelope) {
  const { ref, status, intent, requestor, executor, priority, created, updated, expires } =
    envelope;
  const rows = [
    ["status", status],
    ["asked by", `${requestor}, ${formatTime(created)}`],
    ["held by", executor ?? "nobody"],
    ...(priority && priority !== "normal" ? [["priority", priority]] : []),
    ["changed", formatTime(updated)],
    ...(expires ? [["expires", formatTime(expires)]] : []),
  ];
  return [
    toSafeText(intent),
    ref,
    ...rows.map(([name = "", value]) => `  ${name.padEnd(10)}${toSafeText(value)}`),
  ].join("\n");
}

/** One message; acks of the exchange are left out. @param {any} document */
export function writeMessage({ from, received, MESS }) {
  const blocks = MESS.flatMap((/** @type {Record<string, any>} */ item) =>
    Object.entries(item).filter(([type]) => type !== "ack" && type !== "v"),
  );
  if (blocks.length === 0) return "";
  const body = blocks
    .map((/** @type {[string, any]} */ [type, one]) => writeBlock(type, one))
    .join("\n");
  return `${formatTime(received)}  ${toSafeText(from)}\n${indent(body, "  ")}`;
}

/** @param {string} type @param {any} body */
function writeBlock(type, body) {
  const { content, context, ...rest } = body ?? {};
  const lines = describeBlock(type, rest);
  return [...lines, ...(content ?? context ?? []).map(writeEntry)]
    .filter((line) => line !== "")
    .join("\n");
}

/** @param {string} type @param {any} body @returns {string[]} */
function describeBlock(type, body) {
  switch (type) {
    case "request":
      return [
        toSafeText(body.intent),
        ...(body.requires ? [`needs ${body.requires.map(writeCapability).join(", ")}`] : []),
      ];
    case "status":
      return [
        [body.code, body.message].filter(Boolean).map(toSafeText).join(": "),
        ...(body.questions ?? []).map(writeQuestion),
        ...(body.action ? [`asks for your confirmation: ${toSafeText(body.action)}`] : []),
        ...(typeof body.reason === "string" ? [toSafeText(body.reason)] : []),
      ];
    case "response":
      return body.notes ? [toSafeText(body.notes)] : [];
    case "followup":
      return body.message ? [toSafeText(body.message)] : [];
    case "cancel":
      return [`cancelled${body.reason ? `: ${toSafeText(body.reason)}` : ""}`];
    default:
      return [`${type}: ${toSafeText(stringify(body).trim())}`];
  }
}

/** @param {any} capability */
const writeCapability = (capability) =>
  toSafeText(typeof capability === "string" ? capability : Object.keys(capability)[0]);

/** @param {any} question */
const writeQuestion = ({ field, question, options }) =>
  `? ${toSafeText(question)}${Array.isArray(options) ? ` (${options.map(toSafeText).join(" / ")})` : ""}  [${toSafeText(field)}]`;

/** @param {any} entry */
function writeEntry(entry) {
  if (typeof entry !== "object" || entry === null) return toSafeText(entry);
  const [first] = Object.entries(entry);
  if (!first) return "";
  const [kind, value] = first;
  if (typeof value === "object" && value !== null && typeof value.file === "string") {
    const size = value.size === undefined ? "" : `, ${formatBytes(value.size)}`;
    return `[${kind}: ${toSafeText(value.file)}${size}]`;
  }
  const text = typeof value === "string" ? value : stringify(value).trim();
  return kind === "text"
    ? toSafeText(text)
    : `${kind}: ${toSafeText(text.startsWith("data:") ? "(data)" : text)}`;
}

/** Writes the candidates of a route, and the reason why each other executor is not asked. @param {any} route */
export const writeRoute = ({ candidates, later = [], passed_over }) =>
  [
    `offered to ${listIds(candidates) || "nobody"}`,
    ...(later.length > 0 ? [`later to ${listIds(later)}`] : []),
    ...passed_over.map(
      (/** @type {any} */ { id, reason }) => `not to ${toSafeText(id)}: ${toSafeText(reason)}`,
    ),
  ].join("\n");

/** @param {readonly any[]} members */
const listIds = (members) => members.map(({ id }) => toSafeText(id)).join(", ");
