/**
 * Reads the profile that a member sets itself, in the words of MESS clients, as fields of an executor. A program that
 * registers by itself may be anybody's, so a profile reaches only channels that cost the household nothing, identify
 * nobody in a chat, and refer to none of its secrets.
 */
import { PRIORITIES } from "../envelope.ts";
import { type Outcome, refuse } from "../errors.ts";
import { isMap, type Json, type JsonMap } from "../json.ts";
import { ok } from "../result.ts";

/** Channels to which a member may direct its own notices. */
export const SELF_SET_CHANNELS: readonly string[] = ["ntfy", "webhook", "google_chat"];

const MAX_NOTIFICATIONS = 8;

export interface MemberProfile {
  /** Fields of the executor; null returns one to its default, and those that are not given stay. */
  fields: JsonMap;
  warnings: string[];
}

const refuseField = (path: string, message: string, hint: string) =>
  refuse("bad_field", `${path}: ${message}`, hint, { path });

/** @param body `{display_name?, capabilities?, notifications?, preferences?}`; other fields are ignored */
export function readMemberProfile(body: JsonMap): Outcome<MemberProfile> {
  const { display_name: name, capabilities, notifications, preferences, hooks } = body;
  const given = { name, capabilities };
  if (JSON.stringify([given, notifications ?? null, preferences ?? null]).includes("${"))
    return refuseField(
      "profile",
      "refers to a secret",
      "Write the value itself: only owners may use ${NAME}.",
    );
  const channels = readNotifications(notifications);
  if (!channels.ok) return channels;
  const limits = readPreferences(preferences);
  if (!limits.ok) return limits;
  const fields = { ...given, ...channels.value.fields, ...limits.value };
  return ok({
    fields: Object.fromEntries(
      Object.entries(fields).filter(([, value]) => value !== undefined),
    ) as JsonMap,
    warnings: [
      ...channels.value.warnings,
      ...(hooks === undefined ? [] : ["hooks: only owners set them, with config.hooks; ignored"]),
    ],
  });
}

function readNotifications(value: Json | undefined): Outcome<MemberProfile> {
  if (value === undefined) return ok({ fields: {}, warnings: [] });
  if (value === null) return ok({ fields: { notify: null }, warnings: [] });
  const listed = [value].flat();
  const hint =
    'Write a list such as [{"type": "ntfy", "topic": "…"}, {"type": "webhook", "url": "https://…"}].';
  if (listed.length > MAX_NOTIFICATIONS || !listed.every(isMap))
    return refuseField("notifications", `not a list of up to ${MAX_NOTIFICATIONS} channels`, hint);
  const entries = listed.flatMap((one): [string, Json][] =>
    typeof one["type"] === "string" ? [[one["type"], toAddress(one)]] : Object.entries(one),
  );
  const notify = entries
    .filter(([channel]) => SELF_SET_CHANNELS.includes(channel))
    .map(([channel, address]): JsonMap => ({ [channel]: address }));
  const warnings = entries
    .filter(([channel]) => !SELF_SET_CHANNELS.includes(channel))
    .map(([channel]) => `notifications: ${channel.slice(0, 64)} is set up by an owner; ignored`);
  return ok({ fields: { notify: notify.length > 0 ? notify : null }, warnings });
}

const toText = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** The address in a `notify` of `{type, topic, server}`, `{type, url}` or `{type, webhook_url}`. */
function toAddress({ type, topic, server, webhook_url, url, secret, body }: JsonMap): Json {
  if (type === "ntfy")
    return typeof server === "string"
      ? `${server.replace(/\/$/, "")}/${toText(topic)}`
      : (topic ?? url ?? "");
  const address = url ?? webhook_url ?? "";
  if (type !== "webhook" || (secret === undefined && body === undefined)) return address;
  return {
    url: address,
    ...(secret === undefined ? {} : { secret }),
    ...(body === undefined ? {} : { body }),
  };
}

/** `{min_priority, quiet_hours: "22:00-07:00" or {enabled, start, end}}`; other preferences belong to the client. */
function readPreferences(value: Json | undefined): Outcome<JsonMap> {
  if (value === undefined) return ok({});
  if (value === null) return ok({ min_priority: null, quiet_hours: null });
  if (!isMap(value))
    return refuseField("preferences", "not a map", "Write {min_priority, quiet_hours}.");
  const { min_priority, quiet_hours: quiet } = value;
  const fields: JsonMap = {};
  if (min_priority !== undefined) {
    if (min_priority !== null && !PRIORITIES.some((one) => one === min_priority))
      return refuseField(
        "preferences.min_priority",
        "unknown priority",
        `Write ${PRIORITIES.join(", ")}.`,
      );
    fields["min_priority"] = min_priority;
  }
  if (isMap(quiet)) {
    const { enabled = true, start, end } = quiet;
    fields["quiet_hours"] = enabled === true ? `${toText(start)}-${toText(end)}` : null;
  } else if (quiet !== undefined) fields["quiet_hours"] = quiet;
  return ok(fields);
}

/**
 * The fields of an executor after its member's change. Addresses that only an owner sets stay.
 * @param current as in a configuration
 */
export function mergeProfile(current: JsonMap, { notify, ...fields }: JsonMap): JsonMap {
  const merged = { ...current, ...fields };
  if (notify !== undefined) {
    const kept = [current["notify"] ?? []].flat().flatMap((one) => {
      const own = Object.entries(isMap(one) ? one : {}).filter(
        ([channel]) => !SELF_SET_CHANNELS.includes(channel),
      );
      return own.length > 0 ? [Object.fromEntries(own)] : [];
    });
    const channels = [...[notify ?? []].flat(), ...kept];
    merged["notify"] = channels.length > 0 ? channels : null;
  }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}
