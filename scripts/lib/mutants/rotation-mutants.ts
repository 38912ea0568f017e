/** Defects of the rotation of MESS_SECRET: what is lost, accepted for too long, or reported as done too early. */
import type { Mutant } from "./mutant.ts";

const ROTATION = ["auth/secret-rotation"];
const UNIT = ["unit/auth/worker-secret"];

export const ROTATION_MUTANTS: readonly Mutant[] = [
  {
    name: "the former secret is not accepted during a rotation",
    file: "src/auth/worker-secret.ts",
    find: 'typeof secret === "string" ? [secret] : secret;',
    replace: 'typeof secret === "string" ? [secret] : [secret[0]];',
    tests: [...UNIT, ...ROTATION],
  },
  {
    name: "new links are signed with the former secret",
    file: "src/auth/worker-secret.ts",
    find: 'typeof secret === "string" ? secret : secret[0];',
    replace: 'typeof secret === "string" ? secret : secret[1];',
    tests: UNIT,
  },
  {
    name: "callback tokens end with the rotation",
    file: "src/auth/callbacks/callback-caller.ts",
    find: "const bindings = [known?.token_binding, known?.former_binding];",
    replace: "const bindings = [known?.token_binding];",
    tests: ROTATION,
  },
  {
    name: "a secret that is set during the resealing is overwritten",
    file: "src/household/secrets/secrets.ts",
    find: "WHERE name = ? AND iv = ?`",
    replace: "WHERE name = ? AND ? IS NOT NULL`",
    tests: ROTATION,
  },
  {
    name: "a household with unreadable secrets counts as done",
    file: "src/household/secrets/reseal.ts",
    find: "unreadable += batch.length - done;",
    replace: "",
    tests: ROTATION,
  },
  {
    name: "a rotation is reported before the secrets are sealed again",
    file: "src/household/secrets/reseal.ts",
    find: 'let after = "";',
    replace: 'let after = "";\n  await report({ sealedWith, unreadable: 0 });',
    tests: ROTATION,
  },
  {
    name: "a repeated call after a rotation creates a second key",
    file: "src/ingress/http/resources/household/households.ts",
    find: "identity.isKnownKey(earlier.hash))",
    replace: "identity.isKnownKey(input))",
    tests: ROTATION,
  },
];
