/**
 * Lifecycle hooks of a `config` block: webhooks that are called when a request is created, claimed, started, completed,
 * rejected or cancelled. Texts of a hook may contain variables such as `{ref}`. Pure.
 */
import { defined } from "../defined.ts";
import { type Outcome, refuse } from "../errors.ts";
import { isMap, type Json, type JsonMap } from "../json.ts";
import { LIMITS } from "../limits.ts";
import { ok } from "../result.ts";
import type { Status } from "../status.ts";

export const HOOK_EVENTS = [
  "created",
  "claimed",
  "started",
  "completed",
  "rejected",
  "cancelled",
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** As stored: addresses, secrets and headers may be references `${NAME}`. */
export interface Hook {
  url: string;
  secret?: string;
  headers?: Record<string, string>;
  body?: JsonMap;
}

const MAX_HOOKS_PER_EVENT = 4;
const MAX_HEADERS = 16;
const MAX_BODY_CHARS = 8_192;
const PATH = "config.hooks";
const HINT = "Write hooks by event: hooks: {completed: {url: https://example.com/done}}.";
const HEADER_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
/** Headers that the exchange sets, or that change how a request is sent. */
const RESERVED_HEADER_PATTERN =
  /^(?:webhook-.*|mess-.*|cf-.*|host|content-.*|connection|transfer-encoding|cookie)$/i;

const refuseAt = (path: string, message: string, valid?: readonly string[]) =>
  refuse("bad_field", `${path}: ${message}`, HINT, { path, ...defined({ valid }) });

/** The names of other exchanges begin with `on_request_`. */
const readEvent = (key: string): HookEvent | undefined =>
  HOOK_EVENTS.find((event) => event === key.replace(/^on_request_/, ""));

/** A variable in the host would let the writer of a request choose who is called. */
export const hasFixedOrigin = (url: string): boolean =>
  !/^[^/?#\\]*:\/\/[^/?#\\]*(?<!\$)\{/.test(url) && !url.startsWith("{");

function readHook(value: Json, path: string): Outcome<Hook> {
  const { url, secret, headers, body } = isMap(value) ? value : { url: value };
  if (typeof url !== "string" || url.length > LIMITS.urlChars)
    return refuseAt(`${path}.url`, "not an address");
  if (!hasFixedOrigin(url)) return refuseAt(`${path}.url`, "variables may not be in the host");
  if (secret !== undefined && typeof secret !== "string")
    return refuseAt(`${path}.secret`, "not a text");
  if (body !== undefined && (!isMap(body) || JSON.stringify(body).length > MAX_BODY_CHARS))
    return refuseAt(`${path}.body`, `not a map of at most ${MAX_BODY_CHARS} characters`);
  if (headers !== undefined && !isMap(headers)) return refuseAt(`${path}.headers`, "not a map");
  const entries = Object.entries(headers ?? {});
  if (entries.length > MAX_HEADERS)
    return refuseAt(`${path}.headers`, `more than ${MAX_HEADERS} headers`);
  for (const [name, text] of entries)
    if (
      !HEADER_NAME_PATTERN.test(name) ||
      RESERVED_HEADER_PATTERN.test(name) ||
      typeof text !== "string" ||
      text.length > LIMITS.urlChars
    )
      return refuseAt(`${path}.headers.${name.slice(0, 64)}`, "not a header of a hook");
  return ok({
    url,
    ...defined({ secret, body, headers: headers as Record<string, string> | undefined }),
  });
}

/** The hooks by event, each as a list; null removes those of an event. Undefined where the block has none. */
export function readHooks(value: Json | undefined): Outcome<JsonMap | undefined> {
  if (value === undefined) return ok(undefined);
  if (value === null) return ok(Object.fromEntries(HOOK_EVENTS.map((event) => [event, null])));
  if (!isMap(value)) return refuseAt(PATH, "not a map");
  const read: JsonMap = {};
  for (const [key, given] of Object.entries(value)) {
    const path = `${PATH}.${key.slice(0, 64)}`;
    const event = readEvent(key);
    if (!event) return refuseAt(path, "unknown event", HOOK_EVENTS);
    if (given === null) {
      read[event] = null;
      continue;
    }
    const listed = Array.isArray(given) ? given : [given];
    if (listed.length > MAX_HOOKS_PER_EVENT)
      return refuseAt(path, `more than ${MAX_HOOKS_PER_EVENT} hooks`);
    const hooks: Json[] = [];
    for (const [index, one] of listed.entries()) {
      const hook = readHook(one, `${path}[${index}]`);
      if (!hook.ok) return hook;
      hooks.push({ ...hook.value });
    }
    read[event] = hooks;
  }
  return ok(read);
}

const EVENT_BY_STATUS: Partial<Record<Status, HookEvent>> = {
  claimed: "claimed",
  in_progress: "started",
  completed: "completed",
  declined: "rejected",
  cancelled: "cancelled",
};

/** The events of a request that went through these statuses, in order; each status counts when it is entered. */
export function listHookEvents(
  before: Status | undefined,
  passed: readonly Status[],
): { event: HookEvent; status: Status }[] {
  const events: { event: HookEvent; status: Status }[] =
    before === undefined ? [{ event: "created", status: "pending" }] : [];
  let last = before ?? "pending";
  for (const status of passed) {
    const event = EVENT_BY_STATUS[status];
    if (event && status !== last) events.push({ event, status });
    last = status;
  }
  return events;
}

export type HookVariables = Readonly<Record<string, string>>;

/** Replaces `{name}` and `{{name}}` of known variables; every other text stays. */
const fillText = (
  text: string,
  variables: HookVariables,
  write: (value: string) => string,
): string =>
  text.replaceAll(
    /\{\{(\w{1,32})\}\}|\{(\w{1,32})\}/g,
    (whole, double?: string, single?: string) => {
      const name = double ?? single ?? "";
      return Object.hasOwn(variables, name) ? write(variables[name]!) : whole;
    },
  );

export function fillBody(value: Json, variables: HookVariables): Json {
  if (typeof value === "string") return fillText(value, variables, (text) => text);
  if (Array.isArray(value)) return value.map((one) => fillBody(one, variables));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, fillBody(one, variables)]),
  );
}

export const fillUrl = (url: string, variables: HookVariables): string =>
  fillText(url, variables, encodeURIComponent);

/** Without line breaks and other characters that a header cannot have. */
export const fillHeader = (text: string, variables: HookVariables): string =>
  fillText(text, variables, (value) => value.replaceAll(/[^\x20-\x7e]/g, "?"));
