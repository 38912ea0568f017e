/** Defects of the audit trail: changes that are not recorded, recorded twice, or recorded with too much. */
import type { Mutant } from "./mutant.ts";

const AUDIT = ["household/audit"];

export const AUDIT_MUTANTS: readonly Mutant[] = [
  {
    name: "a new key is not in the audit trail",
    file: "src/household/identity/member-keys.ts",
    find: 'stores.audit.append({ action: "key_created", source, target: id, detail }, now);',
    replace: "",
    tests: AUDIT,
  },
  {
    name: "a key that a removed executor had leaves no entry",
    file: "src/household/identity/member-keys.ts",
    find: "const detail = { actor, role };\n    stores.audit.append(",
    replace: "const detail = { actor, role };\n    Object.is(",
    tests: AUDIT,
  },
  {
    name: "a refused configuration leaves an entry",
    file: "src/object/transaction.ts",
    find: "if (!outcome.ok) throw new Refused();",
    replace: "",
    tests: AUDIT,
  },
  {
    name: "the audit trail loses a link when the household is down",
    file: "src/thread/thread-jobs.ts",
    find: "await withTimeout(HOUSEHOLD_TIMEOUT_MS, carryOut(effect));",
    replace: "await withTimeout(HOUSEHOLD_TIMEOUT_MS, carryOut(effect)).catch(() => undefined);",
    tests: AUDIT,
  },
  {
    name: "a repeated revocation of a link is recorded again",
    file: "src/thread/links.ts",
    find: "const active = matching.filter(({ revoked }) => !revoked);",
    replace: "const active = matching;",
    tests: AUDIT,
  },
  {
    name: "entries of links push out the others",
    file: "src/household/audit/audit.ts",
    find: `["action GLOB 'link_*'", "action NOT GLOB 'link_*'"]`,
    replace: `["true"]`,
    tests: AUDIT,
  },
  {
    name: "members who are not owners read the audit trail",
    file: "src/ingress/http/resources/household/audit.ts",
    find: 'access: "owner",',
    replace: 'access: "member",',
    tests: AUDIT,
  },
];
