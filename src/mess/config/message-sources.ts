/** The `sources` of a `config` block: message sources by name, each with its kind and the settings of the kind. */
import { defined } from "../defined.ts";
import { type Outcome, refuse } from "../errors.ts";
import { isMap, type Json, type JsonMap } from "../json.ts";
import { ok } from "../result.ts";
import { isSourceName, SOURCE_KINDS, SOURCE_LIMITS } from "../sources/vocabulary.ts";
import type { SourceKindName } from "../sources/vocabulary.ts";

export interface SourceEntry {
  kind: SourceKindName;
  title?: string;
  /** Absent where the block does not change it. */
  status?: "connected" | "disconnected";
  /** Settings of the kind, as written. */
  settings: JsonMap;
}

const SOURCES_PATH = "config.sources";
const SHAPE_HINT = "Write message sources by name: sources: {alerts: {kind: webhook}}.";
const STATUSES = ["connected", "disconnected"] as const;

const isSourceKind = (kind: unknown): kind is SourceKindName =>
  (SOURCE_KINDS as readonly unknown[]).includes(kind);

/** An entry that `readSources` has accepted. */
export function splitSource(entry: JsonMap): SourceEntry {
  const { kind, title, status, ...settings } = entry;
  return {
    kind: kind as SourceKindName,
    settings,
    ...defined({
      title: title as string | undefined,
      status: status as SourceEntry["status"],
    }),
  };
}

export const writeSource = ({ kind, title, status, settings }: SourceEntry): JsonMap => ({
  kind,
  ...defined({ title, status: status === "disconnected" ? status : undefined }),
  ...settings,
});

function checkEntry(entry: Json, path: string): Outcome<true> {
  if (entry === null) return ok(true);
  if (!isMap(entry)) return refuse("bad_field", `${path}: not a map`, SHAPE_HINT, { path });
  const { kind, title, status } = entry;
  const refuseAt = (key: string, message: string, hint: string, valid?: readonly string[]) => {
    const at = `${path}.${key}`;
    return refuse("bad_field", `${at}: ${message}`, hint, { path: at, ...defined({ valid }) });
  };
  if (!isSourceKind(kind))
    return refuseAt(
      "kind",
      "not a kind of message source",
      "Name the kind of the source.",
      SOURCE_KINDS,
    );
  const isTitle =
    typeof title === "string" && title.trim() !== "" && title.length <= SOURCE_LIMITS.titleChars;
  if (title !== undefined && !isTitle)
    return refuseAt(
      "title",
      "not a title",
      `Write a text of 1 to ${SOURCE_LIMITS.titleChars} characters.`,
    );
  if (status !== undefined && !(STATUSES as readonly unknown[]).includes(status))
    return refuseAt(
      "status",
      "not a status",
      "Write connected or disconnected, or leave it out.",
      STATUSES,
    );
  return ok(true);
}

/** Returns `sources` unchanged; undefined where the block has none. Settings of kinds are validated separately. */
export function readSources(value: Json | undefined): Outcome<JsonMap | undefined> {
  if (value === undefined || value === null) return ok(undefined);
  if (!isMap(value))
    return refuse("bad_field", `${SOURCES_PATH}: not a map`, SHAPE_HINT, { path: SOURCES_PATH });
  for (const [name, entry] of Object.entries(value)) {
    const path = `${SOURCES_PATH}.${name.slice(0, SOURCE_LIMITS.nameChars)}`;
    if (!isSourceName(name))
      return refuse(
        "bad_field",
        `${path}: not a name for a message source`,
        `Use a letter, then up to ${SOURCE_LIMITS.nameChars - 1} lower-case letters, digits and dashes. Some words, such as drafts, are reserved.`,
        { path },
      );
    const checked = checkEntry(entry, path);
    if (!checked.ok) return checked;
  }
  return ok(value);
}
