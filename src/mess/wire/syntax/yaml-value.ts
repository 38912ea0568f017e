/** Converts the nodes of a parsed YAML document to JSON, with their positions in the text (decisions 52, 54, 55). */
import { isMap, isScalar, isSeq, type ParsedNode, type YAMLMap } from "yaml";
import type { MessError, Outcome } from "../../errors.ts";
import type { Json, JsonMap } from "../../json.ts";
import { LIMITS } from "../../limits.ts";
import { fail, ok } from "../../result.ts";
import {
  buildBrokenPairError,
  buildDuplicateKeyError,
  toExactNumber,
  FORBIDDEN_KEYS,
  buildForbiddenKeyError,
  type Path,
  type SourceDocument,
  buildTooDeepError,
} from "./source-document.ts";

/** The text that was parsed, and the mapping back to the sender's text. */
export interface YamlText {
  readonly text: string;
  /** Returns the string as the sender wrote it. */
  restore(value: string): string;
  /** Returns the place in the sender's text for an offset in `text`. */
  getPlace(offset: number): { line: number; column: number };
}

type YamlMap = YAMLMap<ParsedNode, ParsedNode | null>;
type YamlNode = ParsedNode | null;

/** The only key that may be repeated: several `MESS` lists at the top level count as one (decision 52). */
const REPEATABLE_KEY = "MESS";

export function readNodes(
  root: YamlNode,
  source: YamlText,
  maxDepth: number = LIMITS.depth,
): Outcome<SourceDocument> {
  const reader = new NodeReader(source, maxDepth);
  const repeats = findRepeatedItems(root);
  const value = reader.read(root, 0, repeats);
  if (reader.error) return fail(reader.error);
  return ok({
    value,
    locate: (path) => source.getPlace(findOffset(root, repeats, path)),
  });
}

const getStart = (node: YamlNode): number => node?.range[0] ?? 0;
const getKey = (key: YamlNode): string =>
  isScalar(key) && typeof key.value === "string" ? key.value : "";

/** Returns the items of all `MESS` lists where the document has several. */
function findRepeatedItems(root: YamlNode): YamlNode[] | undefined {
  if (!isMap(root)) return undefined;
  const values = (root as YamlMap).items.filter(({ key }) => getKey(key) === REPEATABLE_KEY);
  if (values.length < 2) return undefined;
  return values.flatMap(({ value }): YamlNode[] => {
    if (isSeq(value)) return value.items;
    return value === null || (isScalar(value) && value.value === null) ? [] : [value];
  });
}

class NodeReader {
  readonly #source: YamlText;
  readonly #maxDepth: number;
  /** The first error; values read after it are discarded. */
  error: MessError | undefined;

  constructor(source: YamlText, maxDepth: number) {
    this.#source = source;
    this.#maxDepth = maxDepth;
  }

  read(node: YamlNode, depth: number, repeats?: YamlNode[]): Json {
    if (node === null || this.error) return null;
    if (isScalar(node)) return this.#readScalar(node.value, node.source, getStart(node));
    if (depth >= this.#maxDepth)
      return this.#refuse((place) => buildTooDeepError(place, this.#maxDepth), getStart(node));
    if (isSeq(node)) return node.items.map((item) => this.read(item, depth + 1));
    return isMap(node) ? this.#readMap(node, depth, repeats) : null;
  }

  #readMap(node: YamlMap, depth: number, repeats: YamlNode[] | undefined): JsonMap {
    const map: JsonMap = {};
    for (const { key: keyNode, value } of node.items) {
      const key = this.#source.restore(getKey(keyNode));
      if (FORBIDDEN_KEYS.includes(key)) {
        this.#refuse((place) => buildForbiddenKeyError(key, place), getStart(keyNode));
        break;
      }
      if (repeats && key === REPEATABLE_KEY) {
        map[key] ??= repeats.map((item) => this.read(item, depth + 2));
        continue;
      }
      if (Object.hasOwn(map, key)) {
        this.#refuse(buildDuplicateKeyError, getStart(keyNode));
        break;
      }
      map[key] = this.read(value, depth + 1);
    }
    return map;
  }

  #readScalar(value: unknown, source: string | undefined, offset: number): Json {
    if (typeof value === "number") return toExactNumber(value, source ?? String(value));
    if (typeof value === "boolean" || value === null || value === undefined) return value ?? null;
    const text = this.#source.restore(typeof value === "string" ? value : "");
    return text.isWellFormed() ? text : this.#refuse(buildBrokenPairError, offset);
  }

  #refuse(make: (place: { line: number; column: number }) => MessError, offset: number): null {
    this.error ??= make(this.#source.getPlace(offset));
    return null;
  }
}

/** Returns the offset of the key or item at the path, or of the nearest part around it. */
function findOffset(root: YamlNode, repeats: YamlNode[] | undefined, path: Path): number {
  let node = root;
  let found = getStart(root);
  let remaining = path;
  if (repeats && path[0] === REPEATABLE_KEY && typeof path[1] === "number" && repeats[path[1]]) {
    node = repeats[path[1]]!;
    found = getStart(node);
    remaining = path.slice(2);
  }
  for (const step of remaining) {
    if (isMap(node)) {
      const pair = (node as YamlMap).items.find(({ key }) => getKey(key) === step);
      if (!pair) break;
      found = getStart(pair.key);
      node = pair.value;
    } else if (isSeq(node) && typeof step === "number" && step < node.items.length) {
      node = node.items[step] as YamlNode;
      found = node ? getStart(node) : found;
    } else break;
  }
  return found;
}
