/** Asking: the request is made, then answered with a task, with an answer that came in time, or with its ref. */
import { post, read } from "../../exchange/exchange.ts";
import { goingOn } from "../../exchange/follow-superseded.ts";
import { reach } from "../../exchange/with-thread.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { Route } from "../../mess/routing/routing.ts";
import type { ThreadView } from "../../contracts/thread.ts";
import { hasSeveral, memberOf } from "./caller.ts";
import { askedOf } from "./offered-to.ts";
import { describeThread } from "./text/describe-thread.ts";
import { inlineList } from "./format-lists.ts";
import { capabilitiesOf, handleOf } from "./tasks/protocol.ts";
import { taskOf } from "./tasks/thread-tasks.ts";
import type { ToolCall, ToolOutput } from "./tool.ts";
import { LONGEST_WAIT, waitForAnswer } from "./wait-for-answer.ts";

export interface Ask {
  /** One request, as MESS. */
  text: string;
  exchange?: string | undefined;
  wait_seconds?: number | undefined;
}

export async function ask(
  { text, exchange, wait_seconds }: Ask,
  call: ToolCall,
): Promise<Outcome<ToolOutput>> {
  const { env, caller, mcp } = call;
  const member = memberOf(caller, exchange);
  if (!member.ok) return member;
  const principal = member.value;
  const posted = await post(env, principal, { text, channel: "mcp" });
  if (!posted.ok) return posted;
  const [entry] = posted.value.entries;
  const ref = entry && "ack" in entry ? entry.ack["ref"] : undefined;
  if (typeof ref !== "string") throw new Error("a request was acked without its ref");

  const first = await read(env, principal, ref);
  if (!first.ok) return first;
  // A caller that would not wait at all wants the ref now, not a task.
  if (call.takesTasks && wait_seconds !== 0) {
    const canElicit = capabilitiesOf(mcp).elicitation !== undefined;
    const view = (await goingOn(env, principal, first.value)) ?? first.value;
    return ok(handleOf(taskOf(view, caller, principal, canElicit, ref)));
  }
  const nobody = isUnasked(first.value) ? await nobodyFor(call, principal, ref) : undefined;
  const seconds = nobody === undefined ? (wait_seconds ?? LONGEST_WAIT) : 0;
  const view = await waitForAnswer(env, principal, ref, { seconds, first: first.value }, mcp);
  if (!view.ok) return view;
  const where = hasSeveral(caller) ? { exchange: principal.household } : {};
  const told = describeThread(view.value, principal, where);
  return ok(nobody === undefined ? told : `${told}\n${nobody}`);
}

const isUnasked = ({ envelope }: ThreadView): boolean =>
  envelope.status === "pending" &&
  envelope.blocked_by === undefined &&
  askedOf(envelope) === undefined;

/** Why nobody can be asked; undefined where somebody will be, at a later time. */
async function nobodyFor(
  { env }: ToolCall,
  principal: Principal,
  ref: string,
): Promise<string | undefined> {
  const route = await reach(env, principal, ref, undefined, ({ stub }) => stub.route(principal));
  return route.ok && route.value.by === "nobody" ? nobodyText(route.value) : undefined;
}

const nobodyText = ({ passed_over }: Route): string =>
  passed_over.length === 0
    ? "Nobody here can be asked at all: an owner must add an executor. It stays open until then."
    : `Nobody here can do it: ${inlineList(
        passed_over.map(({ id, reason }) => `${id} ${reason}`),
        6,
      )}. See mess_capabilities; then mess_cancel it and ask for what is possible.`;
