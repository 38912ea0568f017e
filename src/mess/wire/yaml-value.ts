/** The nodes of one parsed YAML document as JSON, each still findable in the text (decisions 52, 54, 55). */
import { isMap, isScalar, isSeq, type ParsedNode, type YAMLMap } from "yaml";
import type { MessError, Outcome } from "../errors.ts";
import type { Json, JsonMap } from "../json.ts";
import { LIMITS } from "../limits.ts";
import { fail, ok } from "../result.ts";
import {
  brokenPair,
  duplicateKey,
  exactNumber,
  FORBIDDEN_KEYS,
  forbiddenKey,
  type Path,
  type SourceDocument,
  tooDeep,
} from "./source-document.ts";

/** What the parser was given, and the way back to what the sender wrote. */
export interface YamlText {
  readonly text: string;
  /** A string as the sender wrote it. */
  restore(value: string): string;
  /** The place in the sender's text of an offset in `text`. */
  placeOf(offset: number): { line: number; column: number };
}

type Map = YAMLMap<ParsedNode, ParsedNode | null>;
type Node = ParsedNode | null;

/** `MESS` given several times at the top: one list (decision 52). */
const REPEATABLE = "MESS";

export function readNodes(
  root: Node,
  source: YamlText,
  maxDepth: number = LIMITS.depth,
): Outcome<SourceDocument> {
  const reader = new NodeReader(source, maxDepth);
  const repeats = repeatsOf(root);
  const value = reader.read(root, 0, repeats);
  if (reader.fault) return fail(reader.fault);
  return ok({
    value,
    locate: (path) => source.placeOf(find(root, repeats, path)),
  });
}

const startOf = (node: Node): number => node?.range[0] ?? 0;
const keyOf = (key: Node): string =>
  isScalar(key) && typeof key.value === "string" ? key.value : "";

/** The items of all `MESS` lists where the document has several. */
function repeatsOf(root: Node): Node[] | undefined {
  if (!isMap(root)) return undefined;
  const values = (root as Map).items.filter(({ key }) => keyOf(key) === REPEATABLE);
  if (values.length < 2) return undefined;
  return values.flatMap(({ value }): Node[] => {
    if (isSeq(value)) return value.items;
    return value === null || (isScalar(value) && value.value === null) ? [] : [value];
  });
}

class NodeReader {
  readonly #source: YamlText;
  readonly #maxDepth: number;
  /** The first thing that is not accepted; what is read after it does not matter. */
  fault: MessError | undefined;

  constructor(source: YamlText, maxDepth: number) {
    this.#source = source;
    this.#maxDepth = maxDepth;
  }

  read(node: Node, depth: number, repeats?: Node[]): Json {
    if (node === null || this.fault) return null;
    if (isScalar(node)) return this.#scalar(node.value, node.source, startOf(node));
    if (depth >= this.#maxDepth)
      return this.#refuse((place) => tooDeep(place, this.#maxDepth), startOf(node));
    if (isSeq(node)) return node.items.map((item) => this.read(item, depth + 1));
    return isMap(node) ? this.#map(node, depth, repeats) : null;
  }

  #map(node: Map, depth: number, repeats: Node[] | undefined): JsonMap {
    const map: JsonMap = {};
    for (const { key: keyNode, value } of node.items) {
      const key = this.#source.restore(keyOf(keyNode));
      if (FORBIDDEN_KEYS.includes(key)) {
        this.#refuse((place) => forbiddenKey(key, place), startOf(keyNode));
        break;
      }
      if (repeats && key === REPEATABLE) {
        map[key] ??= repeats.map((item) => this.read(item, depth + 2));
        continue;
      }
      if (Object.hasOwn(map, key)) {
        this.#refuse(duplicateKey, startOf(keyNode));
        break;
      }
      map[key] = this.read(value, depth + 1);
    }
    return map;
  }

  #scalar(value: unknown, source: string | undefined, offset: number): Json {
    if (typeof value === "number") return exactNumber(value, source ?? String(value));
    if (typeof value === "boolean" || value === null || value === undefined) return value ?? null;
    const text = this.#source.restore(typeof value === "string" ? value : "");
    return text.isWellFormed() ? text : this.#refuse(brokenPair, offset);
  }

  #refuse(make: (place: { line: number; column: number }) => MessError, offset: number): null {
    this.fault ??= make(this.#source.placeOf(offset));
    return null;
  }
}

/** Offset of the member's key or the item at the path, or of the nearest part around it. */
function find(root: Node, repeats: Node[] | undefined, path: Path): number {
  let node = root;
  let found = startOf(root);
  let rest = path;
  if (repeats && path[0] === REPEATABLE && typeof path[1] === "number" && repeats[path[1]]) {
    node = repeats[path[1]]!;
    found = startOf(node);
    rest = path.slice(2);
  }
  for (const step of rest) {
    if (isMap(node)) {
      const pair = (node as Map).items.find(({ key }) => keyOf(key) === step);
      if (!pair) break;
      found = startOf(pair.key);
      node = pair.value;
    } else if (isSeq(node) && typeof step === "number" && step < node.items.length) {
      node = node.items[step] as Node;
      found = node ? startOf(node) : found;
    } else break;
  }
  return found;
}
