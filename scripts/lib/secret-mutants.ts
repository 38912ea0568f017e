/** Defects by which secrets of a household's configuration would leak. */
import type { Mutant } from "./mutant.ts";

const CANARIES = ["reliability/secrets"];
const ADDRESSES = ["household/address-secrets"];

export const SECRET_MUTANTS: readonly Mutant[] = [
  {
    name: "Secrets: an address keeps its path and query in clear",
    file: "src/household/secrets/mask-address.ts",
    find: '${hidden(rest, "rest")}',
    replace: "${rest}",
    tests: CANARIES,
  },
  {
    name: "Secrets: an address keeps its user and password in clear",
    file: "src/household/secrets/mask-address.ts",
    find: '`${hidden(user, "user")}@`',
    replace: "`${user}@`",
    tests: CANARIES,
  },
  {
    name: "Secrets: a topic stands in clear",
    file: "src/household/secrets/extract-secrets.ts",
    find: 'secretAddress === "beyond origin" ? "address" : undefined',
    replace: "undefined",
    tests: CANARIES,
  },
  {
    name: "Secrets: a channel that is not known keeps its tokens in clear",
    file: "src/household/secrets/extract-secrets.ts",
    find: 'foreign && looksSecret(text) ? "secret" : "plain"',
    replace: '"plain"',
    tests: CANARIES,
  },
  {
    name: "Secrets: a map of headers stands in clear",
    file: "src/household/secrets/secret-keys.ts",
    find: "|headers?|query|params?)$/",
    replace: "|query|params?)$/",
    tests: CANARIES,
  },
  {
    name: "Secrets: what was stored in clear stays so",
    file: "src/household/household-object.ts",
    find: "if (stores && !isSealed(stores))",
    replace: 'if (stores && !isSealed(stores) && env.MESS_SECRET === "")',
    tests: ADDRESSES,
  },
  {
    name: "Secrets: a secret that an owner set by name is overwritten",
    file: "src/household/secrets/extract-secrets.ts",
    find: "(this.#reserved.has(name) && !paths?.has(at))",
    replace: "(this.#reserved.has(name) && paths?.has(at) === undefined && at === name)",
    tests: ADDRESSES,
  },
  {
    name: "Secrets: a server that was lost is replaced by the maker's",
    file: "src/household/contacts/complete-address.ts",
    find: "[...schema.secrets, ...ADDRESS_KEYS].some(isLost)",
    replace: "[...schema.secrets, ...ADDRESS_KEYS.slice(9)].some(isLost)",
    tests: ADDRESSES,
  },
  {
    name: "Secrets: the token of ntfy goes to every server",
    file: "src/channels/ntfy/send.ts",
    find: "if (token !== undefined && isOwnServer)",
    replace: 'if (token !== undefined && (isOwnServer || token !== ""))',
    tests: ["dispatch/ntfy"],
  },
  {
    name: "Secrets: the log redacts nothing",
    file: "src/log.ts",
    find: 'typeof value === "string" ? redact(value) : value',
    replace: 'typeof value === "symbol" ? redact(value) : value',
    tests: ["unit/log"],
  },
  {
    name: "Secrets: a defect is logged with lines of its message",
    file: "src/log.ts",
    find: 'message === "" ? -1 : stack.indexOf(message)',
    replace: 'message === "" ? -1 : -1',
    tests: ["unit/log"],
  },
];
