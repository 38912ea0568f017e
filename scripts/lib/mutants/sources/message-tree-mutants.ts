/** Defects of the message tree: forged headers, hidden commands, and sources that a credential must not see. */
import type { Mutant } from "../mutant.ts";

const PURE = ["unit/mess/sources/tree"];
const READ = ["http/message-tree/read"];
const WRITE = ["http/message-tree/write"];

export const MESSAGE_TREE_MUTANTS: readonly Mutant[] = [
  {
    name: "message tree: a stranger's line break adds a header",
    file: "src/mess/sources/tree/header-lines.ts",
    find: '`${name}: ${value.replaceAll(BREAKS, " ").trim()}\\n`',
    replace: "`${name}: ${value.trim()}\\n`",
    tests: [...PURE, ...READ],
  },
  {
    name: "message tree: a sender's name looks like an address",
    file: "src/mess/sources/tree/header-lines.ts",
    find: "return /^[\\p{L}\\p{N} '-]+$/u.test(shown)",
    replace: "return shown.length > 0",
    tests: [...PURE, ...READ],
  },
  {
    name: "message tree: a header of a stranger passes for a verdict",
    file: "src/ingress/http/resources/message-tree/show-headers.ts",
    find: "view.headers.filter(([header]) => !OWN_HEADERS.includes(header.toLowerCase()))",
    replace: "view.headers",
    tests: READ,
  },
  {
    name: "message tree: a second line hides another command",
    file: "src/mess/sources/tree/commands.ts",
    find: 'findWord(words, text.replace(/\\n$/, ""))',
    replace: 'findWord(words, text.split("\\n")[0]!)',
    tests: [...PURE, ...WRITE],
  },
  {
    name: "message tree: a header that is given twice replaces the first one",
    file: "src/mess/sources/tree/header-lines.ts",
    find: 'if (values.has(key)) return refuseHeaders("a header is given twice", "Give each header once.");',
    replace: "",
    tests: PURE,
  },
  {
    name: "message tree: every credential sees all sources",
    file: "src/household/message-sources/sources-facet.ts",
    find: ".filter(({ accesses }) => accesses.length > 0),",
    replace: ",",
    tests: READ,
  },
  {
    name: "message tree: a key for drafts lists the files of messages",
    file: "src/mess/sources/tree/paths.ts",
    find: '...(read ? ["status", "ctl", "new"] : []),',
    replace: '"status", "ctl", "new", ...(read ? [] : []),',
    tests: READ,
  },
  {
    name: "message tree: a reply that nobody can approve leaves its draft",
    file: "src/exchange/source-calls/draft-for-approval.ts",
    find: 'if (!requested.ok && state === "draft")',
    replace: 'if (requested.ok && state !== "draft")',
    tests: WRITE,
  },
  {
    name: "message tree: a reply asks nobody",
    file: "src/exchange/source-calls/draft-for-approval.ts",
    find: 'if (state !== "draft" && state !== "discarded") return written;',
    replace: "if (state.length > 0) return written;",
    tests: WRITE,
  },
  {
    name: "message tree: a write replaces a revision that its author has not read",
    file: "src/ingress/http/resources/message-tree/outbox.ts",
    find: "const revision = read.value ?? draft.value.revision;",
    replace: "const { revision } = draft.value;",
    tests: WRITE,
  },
  {
    name: "message tree: writing headers moves a draft to another message",
    file: "src/ingress/http/resources/message-tree/outbox.ts",
    find: "return message === undefined || message === draft.message",
    replace: "return message === undefined || message.length > 0",
    tests: WRITE,
  },
  {
    name: "message tree: another spelling of a path names the same thing",
    file: "src/mess/sources/tree/paths.ts",
    find: '.replace("{id}", "(?<id>[a-z0-9_]{1,32})")}$`,',
    replace: '.replace("{id}", "(?<id>[a-z0-9_]{1,32})")}/?$`,',
    tests: PURE,
  },
];
