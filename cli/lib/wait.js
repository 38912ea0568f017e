/** Waits until a request is answered, needs a reply, or ends. */
import { CliError } from "./errors.js";
import { writeMessage, writeThread } from "./thread-text.js";

/** Seconds of one call; the exchange allows 45. */
const CALL_SECONDS = 40;

const DONE = ["completed", "partial"];
const ENDED = [...DONE, "failed", "declined", "expired", "cancelled", "superseded", "delegated"];
const NEEDS_REPLY = ["needs_input", "needs_confirmation"];

/** @param {string} status */
export const isEnded = (status) => ENDED.includes(status);

/**
 * @param {import("./exchange.js").Exchange} exchange
 * @param {string} ref
 * @param {number | undefined} seconds at most
 * @returns {Promise<any>} the thread, with `exit`
 */
export async function waitForAnswer(exchange, ref, seconds = Infinity) {
  const end = Date.now() + seconds * 1_000;
  const path = `/mess/${encodeURIComponent(ref)}`;
  for (let thread = await exchange.get(path); ;) {
    const { status } = thread.envelope;
    if (isEnded(status)) return { ...thread, exit: DONE.includes(status) ? "ok" : "open" };
    if (NEEDS_REPLY.includes(status)) return { ...thread, exit: "open" };
    const left = Math.ceil((end - Date.now()) / 1_000);
    if (left <= 0)
      throw new CliError("there is no answer yet", {
        hint: `The request stays open. See: mess show ${ref}`,
        exit: "timeout",
      });
    const query = { cursor: thread.cursor, timeout: Math.min(left, CALL_SECONDS) };
    await exchange.get(`${path}/wait`, { query });
    thread = await exchange.get(path);
  }
}

/** Writes the result of a wait: the open question, or the status with the answers. @param {any} thread */
export function describeEnd({ envelope, messages, ...thread }) {
  const { ref, status } = envelope;
  if (status === "needs_input")
    return `${writeThread({ ...thread, envelope, messages })}\n\nReply with: mess reply ${ref} NAME=ANSWER`;
  if (status === "needs_confirmation")
    return `${writeThread({ ...thread, envelope, messages })}\n\nReply with: mess reply ${ref} --yes, or --no`;
  const answers = messages
    .filter((/** @type {any} */ one) => one.from !== envelope.requestor)
    .map(writeMessage);
  return [`${ref}: ${status}`, ...answers.filter(Boolean)].join("\n\n");
}
