/**
 * Reads the cases of `cases/*.yaml` as a flat list and defines the case format (see README.md): tables are expanded
 * into single cases, and `$repeat` and `$join` into the texts that they describe.
 */
import { readdirSync, readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { isMap, type Json, type JsonMap } from "../../src/mess/json.ts";

/** One case: the call to an adapter, and the expected result. */
export interface Case {
  id: string;
  title: string;
  /** The sections and decisions that it follows, such as `decision 30` or `protocol §9.3`. */
  follows: string[];
  op: string;
  given: JsonMap;
  when: Json;
  expected: Json;
  /** `bytes`: compares exact text, which another implementation may write differently. */
  level?: "bytes";
}

const FOLDER = new URL("cases/", import.meta.url);
const KEYS = ["id", "title", "follows", "op", "given", "when", "then", "cases", "level"];

/** Every case of the suite, in the order of files and documents. */
export const loadSuite = (): Case[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith(".yaml"))
    .toSorted()
    .flatMap((name) => readCases(readFileSync(new URL(name, FOLDER), "utf8"), name));

function readCases(text: string, file: string): Case[] {
  const documents = parseAllDocuments(text, { version: "1.2", schema: "core" });
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    if (document.errors[0]) throw new Error(`${file}: ${document.errors[0].message}`);
    return spread(document.toJS() as JsonMap, file);
  });
}

function spread(document: JsonMap, file: string): Case[] {
  const { id, title, follows, op, given, cases, level } = document;
  const stray = Object.keys(document).find((key) => !KEYS.includes(key));
  const at = `${file}, ${JSON.stringify(id ?? title)}`;
  if (stray !== undefined) throw new Error(`${at}: ${stray} is no part of a case`);
  if (typeof id !== "string" || typeof title !== "string" || typeof op !== "string")
    throw new Error(`${at}: id, title and op are texts`);
  if (!Array.isArray(follows) || follows.length === 0) throw new Error(`${at}: follows nothing`);
  const pickOne = (own: JsonMap, suffix: string): Case => {
    if (!("when" in own) || !("then" in own)) throw new Error(`${at}: when and then are needed`);
    return {
      id: id + suffix,
      title,
      follows: follows.map(String),
      op,
      given: expand({ ...(given as JsonMap), ...(own.given as JsonMap) }) as JsonMap,
      when: expand(own.when ?? null),
      expected: expand(own.then ?? null),
      ...(level === "bytes" ? { level } : {}),
    };
  };
  if (cases === undefined) return [pickOne(document, "")];
  return (cases as JsonMap[]).map((row, index) => pickOne(row, `#${index + 1}`));
}

/** Expands `{$repeat: [text, times]}` and `{$join: [parts]}`. */
function expand(value: Json): Json {
  if (Array.isArray(value)) return value.map(expand);
  if (!isMap(value)) return value;
  if (Array.isArray(value.$repeat))
    return (value.$repeat[0] as string).repeat(Number(value.$repeat[1]));
  if (Array.isArray(value.$join)) return (value.$join.map(expand) as string[]).join("");
  if (Array.isArray(value.$copies))
    return Array.from({ length: Number(value.$copies[1]) }, (_, index) =>
      numberTexts(expand((value.$copies as Json[])[0]!), index + 1),
    );
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item)]));
}

/** Replaces every `{n}` in the texts of the value with the number. */
function numberTexts(value: Json, n: number): Json {
  if (typeof value === "string") return value.replaceAll("{n}", String(n));
  if (Array.isArray(value)) return value.map((item) => numberTexts(item, n));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, numberTexts(item, n)]),
  );
}
