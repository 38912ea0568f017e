/** Appends a message to an existing request, and returns the request's new state. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Principal } from "../../../auth/principal.ts";
import { sendMessages } from "../../../exchange/exchange.ts";
import { type ExchangeBindings, withThread } from "../../../exchange/with-thread.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import type { BlockInput } from "../../../mess/wire/schema.ts";
import type { ResourceView } from "../../../contracts/thread-views.ts";
import { isMap, type Json, type JsonMap, toCanonicalJson } from "../../../mess/json.ts";
import { ok } from "../../../mess/result.ts";
import { type McpCaller, hasSeveral } from "../caller.ts";
import { buildStructuredResult, toStructuredRequest } from "../results/structured-result.ts";
import { formatWarnings, listWarnings } from "../text/ack-warnings.ts";
import { describeThread } from "../text/describe-thread.ts";

export async function appendToThread(
  env: ExchangeBindings,
  caller: McpCaller,
  principal: Principal,
  target: string,
  block: BlockInput,
): Promise<Outcome<CallToolResult>> {
  const messages = [{ re: target, blocks: [block] }];
  const posted = await sendMessages(env, principal, { messages, channel: "mcp" });
  const [entry] = posted.ok ? posted.value.entries : [];
  const ack = entry && "ack" in entry ? entry.ack : {};
  const { ref: messageRef } = ack;
  const read = typeof messageRef === "string" ? messageRef : target;
  const isReply = block.type === "reply";
  let about: string | undefined;
  const view = await withThread(env, principal, read, { isReply }, ({ stub, ref, message }) => {
    about = message === undefined ? undefined : `${ref}/${message}`;
    return stub.readResources(principal);
  });
  if (!view.ok) return posted.ok ? view : posted;
  if (!posted.ok) {
    // A repeated call gets the result of the first: a verdict on the same suggestion, or the caller's last message.
    const { accept } = block.body as JsonMap;
    const verdict = accept === undefined ? undefined : findVerdict(view.value, about);
    if (!verdict && !isLastMessage(view.value, principal, block)) return posted;
    if (verdict && (verdict.accept !== accept || verdict.from !== principal.actor))
      return refuse(
        "no_open_question",
        `${verdict.from} has already ${verdict.accept ? "accepted" : "refused"} this suggestion`,
        "Read the thread for its current status.",
      );
  }
  const where = hasSeveral(caller) ? { exchange: principal.household } : {};
  // Messages before the reply are already known to the caller.
  const warnings = listWarnings(ack);
  const text = [
    `Sent. ${describeThread({ ...view.value, messages: [] }, principal, where)}`,
    ...formatWarnings(warnings),
  ].join("\n");
  const structured = toStructuredRequest(view.value, principal);
  return ok(
    buildStructuredResult(text, warnings.length > 0 ? { ...structured, warnings } : structured),
  );
}

/** The caller's newest message has this block, in any case of its words. A cancellation may have another reason. */
function isLastMessage(
  view: ResourceView,
  { actor }: Principal,
  { type, body }: BlockInput,
): boolean {
  const last = view.messages.findLast(({ from }) => from === actor);
  const sent = last?.MESS.find((item) => type in item)?.[type];
  if (type === "cancel") return sent !== undefined && view.envelope.status === "cancelled";
  return isMap(sent) && isMap(body) && REPLY_FIELDS.every((key) => isSame(sent[key], body[key]));
}

/** The verdict on a suggestion by a message that names it. */
function findVerdict({ messages }: ResourceView, about: string | undefined) {
  for (const { from, re, MESS } of messages) {
    if (about === undefined || re !== about) continue;
    const reply = MESS.find((item) => "reply" in item)?.["reply"];
    if (isMap(reply) && typeof reply["accept"] === "boolean")
      return { from, accept: reply["accept"] };
  }
  return undefined;
}

const REPLY_FIELDS = ["answers", "confirm", "accept", "reason"];

const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  toCanonicalJson(one ?? null).toLowerCase() === toCanonicalJson(other ?? null).toLowerCase();
