/** The commands of a Markdown page with the output that the page shows for them. */
export interface ShellBlock {
  command: string;
  /** What the page shows; undefined where it shows none. */
  output: string | undefined;
}

const BLOCK = /^```sh\n([^]*?)^```\n(?:\n^```(?:yaml|json|text)\n([^]*?)^```\n)?/gm;

export const shellBlocks = (markdown: string): ShellBlock[] =>
  [...markdown.matchAll(BLOCK)].map(([, command, output]) => ({ command: command ?? "", output }));

/** The page with other outputs, one for each block that shows one. */
export function replaceOutputs(markdown: string, outputs: readonly string[]): string {
  let index = 0;
  return markdown.replaceAll(BLOCK, (all: string, _command: string, shown: string | undefined) => {
    const output = outputs[index++] ?? "";
    if (shown === undefined) return all;
    const end = all.lastIndexOf(`${shown}\`\`\`\n`);
    return `${all.slice(0, end)}${maskSecrets(output)}${all.slice(end + shown.length)}`;
  });
}

/** Keys and tokens, though of a passing state, have no place in a page. */
const maskSecrets = (text: string): string =>
  text.replaceAll(KEY, "mess_$1_0123…").replaceAll(TOKEN, "token=eyJh…").replaceAll(CODE, "$1…");

const KEY = /mess_([a-z0-9-]+)_[0-9a-f]{4,64}…?/g;
const TOKEN = /token=[\w.-]+…?/g;
/** A link's short address. */
const CODE = /(\/r\/\S+_)(?:[0-9a-z]{17,22}|…)/g;

/** The text without what differs from run to run: days, times, keys, tokens and made-up ids. */
export const normalizeOutput = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})/g, "TIME")
    .replaceAll(/\d{4}-\d{2}-\d{2}/g, "DAY")
    .replaceAll(KEY, "KEY")
    .replaceAll(TOKEN, "TOKEN")
    .replaceAll(CODE, "$1CODE")
    // YAML quotes those that could be read as a number, such as 12345e67-….
    .replaceAll(/"?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"?/g, "ID")
    .replaceAll(/(?<=fingerprint: )"?[0-9a-f]{12}"?/g, "PRINT")
    .replaceAll(/(?<=upload-)[0-9a-f]{32}/g, "ID")
    .trimEnd();
