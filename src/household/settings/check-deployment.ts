/** Whether this deployment has what a channel of a `config` block needs of it. */
import { type Outcome, refuse } from "../../mess/errors.ts";
import { isMap, type JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";

/** @param bindings of the Worker; a deployment that sends no mail leaves `SEND_EMAIL` out */
export function checkDeployment(
  { dispatch }: JsonMap,
  bindings: Partial<Pick<Env, "SEND_EMAIL">>,
): Outcome<true> {
  const needsEmail = isMap(dispatch) && isMap(dispatch["email"]);
  if (!needsEmail || bindings.SEND_EMAIL) return ok(true);
  const path = "config.dispatch.email";
  return refuse(
    "bad_field",
    `${path}: email is not set up in this deployment`,
    "Ask the operator for the binding SEND_EMAIL, or reach members by another channel.",
    { path },
  );
}
