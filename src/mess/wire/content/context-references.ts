/**
 * References of a request to other threads: `ref` entries and `content://` addresses in its context. They are resolved
 * when the request is stored (decision 72).
 */
import { defined } from "../../defined.ts";
import { isMap, type Json } from "../../json.ts";
import { splitTarget } from "../../refs.ts";
import type { Entry } from "./entries.ts";
import { isMedia } from "./media.ts";

const CONTENT_SCHEME = "content://";

export interface ContextReference {
  kind: "ref" | "file";
  thread: string;
  /** Name of a message, or of a file. */
  part?: string;
  /** Position in the request, such as `context[1].image`. */
  path: string;
}

/** Returns the entries with each reference replaced by `change(reference)`: `{thread}` or `{thread}/{part}`. */
export const mapReferences = (
  entries: readonly Entry[],
  change: (reference: ContextReference) => string,
): Entry[] =>
  entries.map((entry, index) =>
    typeof entry === "string"
      ? entry
      : Object.fromEntries(
          Object.entries(entry).map(([key, value]) => [
            key,
            mapValue(key, value, `context[${index}].${key}`, change),
          ]),
        ),
  );

function mapValue(
  key: string,
  value: Json,
  path: string,
  change: (reference: ContextReference) => string,
): Json {
  if (key === "ref" && typeof value === "string") {
    const { thread, message } = splitTarget(value);
    return change({
      kind: "ref",
      thread,
      ...defined({ part: message }),
      path,
    });
  }
  if (!isMedia(key) || !isMap(value) || typeof value.resource !== "string") return value;
  if (!value.resource.startsWith(CONTENT_SCHEME)) return value;
  const [thread = "", ...parts] = value.resource.slice(CONTENT_SCHEME.length).split("/");
  const target = change({ kind: "file", thread, part: parts.at(-1) ?? "", path });
  return { ...value, resource: CONTENT_SCHEME + target };
}

/** Lists the references of a context, in order. */
export function listReferences(entries: readonly Entry[] | undefined): ContextReference[] {
  const found: ContextReference[] = [];
  mapReferences(entries ?? [], (reference) => {
    found.push(reference);
    return reference.thread;
  });
  return found;
}
