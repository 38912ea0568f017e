/** Runs one case against one adapter: sends the calls and compares the results. */
import { parseAllDocuments } from "yaml";
import { isMap, type Json, type JsonMap } from "../../src/mess/json.ts";
import { compare } from "./match.ts";
import type { Case } from "./suite.ts";

/** The call that is sent to an adapter; it does not contain the expectation. */
export interface Call {
  op: string;
  given: JsonMap;
  when: Json;
}

export type Adapter = (call: Call) => Json | Promise<Json>;

/** Results of these operations are normalized values, which may contain only what is expected. */
const EXACT = ["parse", "content", "config"];

/** Lists the differences between the adapter's results and the expected ones; empty if it conforms. */
export async function check(one: Case, adapter: Adapter): Promise<string[]> {
  const steps = one.op === "thread" ? (one.when as JsonMap[]) : undefined;
  const when = steps ? steps.map(({ then: _then, ...step }) => step) : one.when;
  const result = await adapter({ op: one.op, given: one.given, when });
  if (isMap(result) && result.defect !== undefined)
    return [`defect: ${JSON.stringify(result.defect)}`];
  if (isMap(one.expected) && "refused" in one.expected) {
    const refused = isMap(result) ? result.refused : undefined;
    return compare(readRefusal(one.expected.refused), refused, "then.refused");
  }
  if (isMap(result) && result.refused !== undefined)
    return [`refused: ${JSON.stringify(result.refused)}`];
  return [
    ...(steps ? checkSteps(steps, result) : []),
    ...compare(
      one.expected,
      one.op === "write" ? withDocuments(result) : result,
      "then",
      EXACT.includes(one.op),
    ),
  ];
}

const readRefusal = (wanted: Json): Json =>
  typeof wanted === "string" ? { code: wanted } : wanted;

/** A step is accepted unless its `then` names a refusal; a refused step must not change the thread. */
function checkSteps(steps: readonly JsonMap[], result: Json): string[] {
  const found = isMap(result) && Array.isArray(result.steps) ? (result.steps as JsonMap[]) : [];
  if (found.length !== steps.length) return [`steps: ${found.length} of ${steps.length} answered`];
  return steps.flatMap((step, index) => {
    const at = `step ${index + 1}`;
    const wanted = isMap(step.then) ? step.then : {};
    const { refused, ...rest } = found[index]!;
    if (wanted.refused === undefined)
      return [
        ...(refused === undefined ? [] : [`${at}: refused ${JSON.stringify(refused)}`]),
        ...compare(wanted, rest, at),
      ];
    const before = index > 0 ? found[index - 1] : (result as JsonMap)["created"];
    const { refused: _earlier, ...unchanged } = (before ?? {}) as JsonMap;
    const { refused: code, ...others } = wanted;
    return [
      ...compare(readRefusal(code), refused, `${at}.refused`),
      ...compare(unchanged, rest, `${at} changed`, true),
      ...compare(others, rest, at),
    ];
  });
}

/** Compares written files with the values that readers of both YAML versions find in them. */
function withDocuments(result: Json): Json {
  if (!isMap(result) || !Array.isArray(result.files)) return result;
  const files = (result.files as JsonMap[]).map((file) => {
    const text = file.text as string;
    const [newer, older] = [readYaml(text, "1.2"), readYaml(text, "1.1")];
    return JSON.stringify(newer) === JSON.stringify(older)
      ? { ...file, documents: newer }
      : { ...file, documents: `YAML 1.1 reads ${JSON.stringify(older)}` };
  });
  return { ...result, files };
}

const readYaml = (text: string, version: "1.1" | "1.2"): Json =>
  [parseAllDocuments(text, { version })].flat().map((document) => {
    const value: unknown = "toJS" in document ? document.toJS() : null;
    return value as Json;
  });
