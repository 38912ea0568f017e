/** Checks whether this deployment has the bindings that the channels of a `config` block need. */
import { CHANNEL_KINDS, CHANNELS } from "../../channels/registry.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { isMap, type JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";

/** @param bindings of the Worker; a deployment that sends no mail leaves out `SEND_EMAIL` */
export function checkDeployment({ dispatch }: JsonMap, bindings: Partial<Env>): Outcome<true> {
  if (!isMap(dispatch)) return ok(true);
  for (const kind of CHANNEL_KINDS) {
    const { binding } = CHANNELS[kind];
    if (binding === undefined || bindings[binding] || !isMap(dispatch[kind])) continue;
    const path = `config.dispatch.${kind}`;
    return refuse(
      "bad_field",
      `${path}: ${kind} is not set up in this deployment`,
      `Ask the operator to add the binding ${binding}, or use another channel.`,
      { path },
    );
  }
  return ok(true);
}
