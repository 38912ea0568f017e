/** The `dispatch` of a `config` block: channel settings and the timeouts of the escalation steps. */
import { readDuration } from "../durations.ts";
import type { Priority } from "../envelope.ts";
import { type Outcome, refuse } from "../errors.ts";
import { isMap, type Json, type JsonMap } from "../json.ts";
import { ok } from "../result.ts";
import type { RoutingConfig } from "../routing/routing.ts";

const PRIORITIES: readonly Priority[] = ["urgent", "elevated", "normal", "background"];
const DISPATCH_PATH = "config.dispatch";

/** Returns the seconds of each escalation step from `dispatch.ladder`; leaves out values that are not durations. */
export function readEscalationTimeouts(dispatch: JsonMap): RoutingConfig["ladder"] {
  const written = dispatch["ladder"];
  if (!isMap(written)) return undefined;
  const timeouts: NonNullable<RoutingConfig["ladder"]> = {};
  for (const priority of PRIORITIES) {
    const value = written[priority];
    const seconds = typeof value === "string" ? readDuration(value) : undefined;
    if (seconds) timeouts[priority] = seconds;
  }
  return timeouts;
}

function checkEscalationTimeouts(timeouts: Json | undefined): Outcome<true> {
  if (timeouts === undefined || timeouts === null) return ok(true);
  const hint = "Write durations by priority: ladder: {urgent: 2m, normal: 30m}.";
  const path = `${DISPATCH_PATH}.ladder`;
  if (!isMap(timeouts)) return refuse("bad_field", `${path}: not a map`, hint, { path });
  for (const [priority, value] of Object.entries(timeouts)) {
    const at = `${path}.${priority}`;
    if (!(PRIORITIES as readonly string[]).includes(priority)) {
      return refuse("bad_field", `${at}: not a priority`, hint, { path: at, valid: PRIORITIES });
    }
    if (typeof value !== "string" || !readDuration(value)) {
      return refuse("bad_duration", `${at}: not a duration`, hint, { path: at });
    }
  }
  return ok(true);
}

/** Returns `dispatch` unchanged; undefined where the block has none. Channel settings are validated separately. */
export function readDispatch(value: Json | undefined): Outcome<JsonMap | undefined> {
  if (value === undefined || value === null) return ok(undefined);
  if (!isMap(value)) {
    const hint =
      "Write the settings of channels: dispatch: {slack: {bot_token: ${SLACK_BOT_TOKEN}}}.";
    return refuse("bad_field", `${DISPATCH_PATH}: not a map`, hint, { path: DISPATCH_PATH });
  }
  const timeouts = checkEscalationTimeouts(value["ladder"]);
  return timeouts.ok ? ok(value) : timeouts;
}
