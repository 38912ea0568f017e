import { parseAllDocuments } from "yaml";

/** The commands of a Markdown page with the outputs that the page shows. */
export interface ShellBlock {
  command: string;
  /** The output that the page shows; undefined if it shows none. */
  output: string | undefined;
}

const BLOCK = /^```sh\n([^]*?)^```\n(?:\n^```(?:yaml|json|text)\n([^]*?)^```\n)?/gm;

export const listShellBlocks = (markdown: string): ShellBlock[] =>
  [...markdown.matchAll(BLOCK)].map(([, command, output]) => ({ command: command ?? "", output }));

/** Returns the page with new outputs, one for each block that shows one. */
export function replaceOutputs(markdown: string, outputs: readonly string[]): string {
  let index = 0;
  return markdown.replaceAll(BLOCK, (all: string, _command: string, shown: string | undefined) => {
    const output = outputs[index++] ?? "";
    if (shown === undefined) return all;
    const end = all.lastIndexOf(`${shown}\`\`\`\n`);
    return `${all.slice(0, end)}${maskSecrets(output)}${all.slice(end + shown.length)}`;
  });
}

/** Replaces keys and tokens, which do not belong on a page even if they are temporary. */
const maskSecrets = (text: string): string =>
  text.replaceAll(KEY, "mess_$1_0123…").replaceAll(TOKEN, "token=eyJh…").replaceAll(CODE, "$1…");

const KEY = /mess_([a-z0-9-]+)_[0-9a-f]{4,64}…?/g;
const TOKEN = /token=[\w.-]+…?/g;
/** The short address of a link. */
const CODE = /(\/r\/\S+_)(?:[0-9a-z]{17,22}|…)/g;

/** Replaces everything that differs between runs: days, times, keys, tokens and generated ids. */
export const normalizeOutput = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})/g, "TIME")
    .replaceAll(/\d{4}-\d{2}-\d{2}/g, "DAY")
    .replaceAll(KEY, "KEY")
    .replaceAll(TOKEN, "TOKEN")
    .replaceAll(CODE, "$1CODE")
    // YAML quotes ids that could be read as a number, such as 12345e67-….
    .replaceAll(/"?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"?/g, "ID")
    .replaceAll(/(?<=fingerprint: )"?[0-9a-f]{12}"?/g, "PRINT")
    .replaceAll(/(?<=upload-)[0-9a-f]{32}/g, "ID")
    .replaceAll(/\b(?:g|o|a|m|d|msg)_[0-9a-z]{8,}\b/g, "ID")
    .trimEnd();

/** Fields that contain sentences of the exchange; `message` only next to the code of a refusal. */
const SENTENCES: readonly string[] = ["hint", "note", "reason", "reasons", "warnings", "error"];

function withoutSentences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSentences);
  if (typeof value !== "object" || value === null) return value;
  const isRefusal = "code" in value && "hint" in value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const isText = typeof one === "string" || Array.isArray(one);
      const isSentence = SENTENCES.includes(key) || (isRefusal && key === "message");
      return [key, isSentence && isText ? "TEXT" : withoutSentences(one)];
    }),
  );
}

/** Parses an output as data without its sentences, so that a new wording does not change it. */
export function readOutputData(text: string): unknown {
  const documents = parseAllDocuments(normalizeOutput(text), { logLevel: "silent" });
  const values = documents.map((document) => document.toJS() as unknown);
  const isData = documents.every(({ errors }) => errors.length === 0);
  return isData && values.some((value) => typeof value === "object" && value !== null)
    ? values.map(withoutSentences)
    : normalizeOutput(text).replaceAll(/"[^"\n]* [^"\n]*"/g, '"TEXT"');
}
