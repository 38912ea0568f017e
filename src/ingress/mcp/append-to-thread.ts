/** Appends a message to an existing request, and returns the request's new state. */
import type { Principal } from "../../auth/principal.ts";
import { readThread, sendMessages } from "../../exchange/exchange.ts";
import type { ExchangeBindings } from "../../exchange/with-thread.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { BlockInput } from "../../mess/wire/schema.ts";
import { splitTarget } from "../../mess/refs.ts";
import { ok } from "../../mess/result.ts";
import { type McpCaller, hasSeveral } from "./caller.ts";
import { describeThread } from "./text/describe-thread.ts";

export async function appendToThread(
  env: ExchangeBindings,
  caller: McpCaller,
  principal: Principal,
  target: string,
  block: BlockInput,
): Promise<Outcome<string>> {
  const messages = [{ re: target, blocks: [block] }];
  const posted = await sendMessages(env, principal, { messages, channel: "mcp" });
  if (!posted.ok) return posted;
  const [entry] = posted.value.entries;
  const messageRef = entry && "ack" in entry ? entry.ack["ref"] : undefined;
  const { thread } = splitTarget(typeof messageRef === "string" ? messageRef : target);
  const view = await readThread(env, principal, thread);
  if (!view.ok) return view;
  const where = hasSeveral(caller) ? { exchange: principal.household } : {};
  // Messages before the reply are already known to the caller.
  return ok(`Sent. ${describeThread({ ...view.value, messages: [] }, principal, where)}`);
}
