/** Defects that leak secrets of a household's configuration. */
import type { Mutant } from "./mutant.ts";

const CANARIES = ["reliability/secrets"];
const ADDRESSES = ["household/secrets/address-secrets"];

export const SECRET_MUTANTS: readonly Mutant[] = [
  {
    name: "Secrets: the path and query of an address stay in plain text",
    file: "src/household/secrets/mask-address.ts",
    find: '${hidePart(rest, "rest")}',
    replace: "${rest}",
    tests: CANARIES,
  },
  {
    name: "Secrets: the user and password of an address stay in plain text",
    file: "src/household/secrets/mask-address.ts",
    find: '`${hidePart(user, "user")}@`',
    replace: "`${user}@`",
    tests: CANARIES,
  },
  {
    name: "Secrets: a topic stays in plain text",
    file: "src/household/secrets/extract-secrets.ts",
    find: 'secretAddress === "beyond origin" ? "address" : undefined',
    replace: "undefined",
    tests: CANARIES,
  },
  {
    name: "Secrets: tokens of an unknown channel stay in plain text",
    file: "src/household/secrets/extract-secrets.ts",
    find: 'foreign && looksSecret(text) ? "secret" : "plain"',
    replace: '"plain"',
    tests: CANARIES,
  },
  {
    name: "Secrets: a map of headers stays in plain text",
    file: "src/household/secrets/secret-keys.ts",
    find: "|headers?|query|params?)$/",
    replace: "|query|params?)$/",
    tests: CANARIES,
  },
  {
    name: "Secrets: values stored in plain text by an earlier version are not sealed",
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
    name: "Secrets: a lost server address is replaced by the default server",
    file: "src/household/contacts/complete-address.ts",
    find: "[...schema.secrets, ...ADDRESS_KEYS].some(isLost)",
    replace: "[...schema.secrets, ...ADDRESS_KEYS.slice(9)].some(isLost)",
    tests: ADDRESSES,
  },
  {
    name: "Secrets: the token of ntfy is sent to every server",
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
  {
    name: "Secrets: a sealed value opens under another name",
    file: "src/auth/sealed-secrets.ts",
    find: "encodeUtf8(JSON.stringify([KEY_VERSION, household, name]))",
    replace: "encodeUtf8(JSON.stringify([KEY_VERSION, household, name.length * 0]))",
    tests: ["unit/auth/sealed-secrets"],
  },
  {
    name: "Secrets: a sealed value opens under another household",
    file: "src/auth/sealed-secrets.ts",
    find: "encodeUtf8(JSON.stringify([KEY_VERSION, household, name]))",
    replace: "encodeUtf8(JSON.stringify([KEY_VERSION, household.length * 0, name]))",
    tests: ["unit/auth/sealed-secrets"],
  },
  {
    name: "Secrets: links, callbacks and downloads are signed with the same key",
    file: "src/auth/hash.ts",
    find: "const name = `${purpose}\\n${secret}`;",
    replace: "const name = secret;",
    tests: ["unit/auth/hmac-keys"],
  },
];
