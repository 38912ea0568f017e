/** A message to a request that exists, answered with where the request then stands. */
import type { Principal } from "../../auth/principal.ts";
import { post, read } from "../../exchange/exchange.ts";
import type { Stores } from "../../exchange/with-thread.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { JsonMap } from "../../mess/json.ts";
import { splitTarget } from "../../mess/refs.ts";
import { ok } from "../../mess/result.ts";
import { type Caller, hasSeveral } from "./caller.ts";
import { describeThread } from "./text/describe-thread.ts";

export async function say(
  env: Stores,
  caller: Caller,
  principal: Principal,
  target: string,
  block: JsonMap,
): Promise<Outcome<string>> {
  const text = JSON.stringify({ re: target, MESS: [block] });
  const posted = await post(env, principal, { text, channel: "mcp" });
  if (!posted.ok) return posted;
  const [entry] = posted.value.entries;
  const said = entry && "ack" in entry ? entry.ack["ref"] : undefined;
  const { thread } = splitTarget(typeof said === "string" ? said : target);
  const view = await read(env, principal, thread);
  if (!view.ok) return view;
  const where = hasSeveral(caller) ? { exchange: principal.household } : {};
  // What was told before the reply need not be told again.
  return ok(`Sent. ${describeThread({ ...view.value, messages: [] }, principal, where)}`);
}
