/** Checks whether this deployment has the bindings that the channels of a `config` block need. */
import { type Outcome, refuse } from "../../mess/errors.ts";
import { isMap, type JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";

/** @param bindings of the Worker; `SEND_EMAIL` is absent in a deployment that sends no mail */
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
    "Ask the operator to add the binding SEND_EMAIL, or use another channel.",
    { path },
  );
}
