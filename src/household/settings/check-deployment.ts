/** Checks whether this deployment has the bindings that the channels and message sources of a `config` block need. */
import { CHANNEL_KINDS, CHANNELS } from "../../channels/registry.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { isMap, type JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { SOURCE_LIMITS, type SourceKindName } from "../../mess/sources/vocabulary.ts";
import { findSourceKind } from "../../source-kinds/registry.ts";

function checkSourceBindings(sources: JsonMap, bindings: Partial<Env>): Outcome<true> {
  for (const [name, entry] of Object.entries(sources)) {
    const kind = isMap(entry) ? entry["kind"] : undefined;
    const binding = findSourceKind(kind as SourceKindName)?.binding;
    if (binding === undefined || bindings[binding]) continue;
    const path = `config.sources.${name.slice(0, SOURCE_LIMITS.nameChars)}.kind`;
    return refuse(
      "bad_field",
      `${path}: the kind is not set up in this deployment`,
      `Ask the operator to add the binding ${binding}, or use another kind.`,
      { path },
    );
  }
  return ok(true);
}

/** @param bindings of the Worker; a deployment that sends no mail leaves out `SEND_EMAIL` */
export function checkDeployment(
  { dispatch, sources }: JsonMap,
  bindings: Partial<Env>,
): Outcome<true> {
  if (isMap(sources)) {
    const able = checkSourceBindings(sources, bindings);
    if (!able.ok) return able;
  }
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
