/**
 * Merges the documents of a configuration file into one `config` block (protocol §8.2): each is a configuration, or an
 * entry or list of entries of the capability catalog. Errors name the document and the line.
 */
import { type Outcome, refuse } from "../errors.ts";
import { isMap, type Json, type JsonMap } from "../json.ts";
import { fail, ok } from "../result.ts";
import type { Path, SourceDocument } from "../wire/syntax/source-document.ts";
import { type CatalogEntry, KNOWN_KEYS, readCatalog } from "./config.ts";

/** Returns the output of an export, `{config: {…}}`, as its inner map. */
const unwrapConfig = (map: JsonMap): JsonMap => {
  const { config, ...others } = map;
  return isMap(config) && Object.keys(others).length === 0 ? config : map;
};

const isCatalogEntry = (map: JsonMap): boolean =>
  "id" in map && !Object.keys(map).some((key) => KNOWN_KEYS.includes(key));

/** The document as a configuration. */
function toConfig(value: Json): JsonMap | undefined {
  if (Array.isArray(value)) {
    const isCatalog = value.every((one) => typeof one === "string" || (isMap(one) && "id" in one));
    return isCatalog ? { capabilities: value } : undefined;
  }
  if (!isMap(value)) return undefined;
  return isCatalogEntry(value) ? { capabilities: [value] } : unwrapConfig(value);
}

/** Where a catalog error lies in its document; its path is `config.capabilities[2]` or `config.capabilities.{id}`. */
function toSourcePath(value: Json, errorPath = ""): Path {
  const key = errorPath.slice("config.capabilities".length).replace(/^\.|^\[|\]$/g, "");
  const step = /^\d+$/.test(key) ? Number(key) : key;
  if (Array.isArray(value)) return [step];
  return isMap(value) && isCatalogEntry(value) ? [] : ["capabilities", step];
}

/** @param documents at least one */
export function mergeConfigDocuments(documents: readonly SourceDocument[]): Outcome<JsonMap> {
  const [only, ...others] = documents;
  if (only && others.length === 0 && isMap(only.value) && !isCatalogEntry(only.value))
    return ok(unwrapConfig(only.value));
  const merged: JsonMap = {};
  const numberByKey = new Map<string, number>();
  const capabilities = new Map<string, { entry: CatalogEntry; number: number }>();
  for (const [index, document] of documents.entries()) {
    const { value } = document;
    const number = index + 1;
    const refuseAt = (path: Path, message: string, hint: string) =>
      refuse("bad_field", `document ${number}: ${message}`, hint, document.locate(path));
    const config = toConfig(value);
    if (!config)
      return refuse(
        "bad_shape",
        `document ${number}: not a map`,
        "Write a configuration, or a capability: {id, description, tags}.",
        document.locate([]),
      );
    const catalog = readCatalog(config["capabilities"]);
    if (!catalog.ok) {
      const { error } = catalog;
      const place = document.locate(toSourcePath(value, error.path));
      return fail({ ...error, message: `document ${number}: ${error.message}`, ...place });
    }
    for (const entry of catalog.value) {
      const known = capabilities.get(entry.id);
      if (known)
        return refuseAt(
          [],
          `the capability ${entry.id} is in document ${known.number} already`,
          "Describe each capability once.",
        );
      capabilities.set(entry.id, { entry, number });
    }
    for (const [key, field] of Object.entries(config)) {
      if (key === "capabilities") continue;
      const known = numberByKey.get(key);
      if (known !== undefined)
        return refuseAt([key], `${key} is in document ${known} already`, "Give each key once.");
      numberByKey.set(key, number);
      merged[key] = field;
    }
  }
  if (capabilities.size > 0)
    merged["capabilities"] = [...capabilities.values()].map(({ entry }) => ({ ...entry }));
  return ok(merged);
}
