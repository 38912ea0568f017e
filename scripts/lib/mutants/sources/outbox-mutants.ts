/** Defects through which something would be sent that no person approved, or would be sent twice. */
import type { Mutant } from "../mutant.ts";

const APPROVALS = ["sources/approvals"];
const SENDING = ["sources/send-drafts"];
const PERSONS = ["unit/thread/deciding-person"];

export const OUTBOX_MUTANTS: readonly Mutant[] = [
  {
    name: "outbox: a key that may only write drafts sees drafts about messages",
    file: "src/exchange/source-calls/drafts.ts",
    find: 'allowsAccess(paths, source, "read")',
    replace: 'allowsAccess(paths, source, "draft")',
    tests: ["sources/draft-routes"],
  },
  {
    name: "outbox: an owner's key approves",
    file: "src/sources/outbox/approvals.ts",
    find: 'role === "owner" && isBrowserSession(credential) && !scope && !paths',
    replace: 'role === "owner" && credential !== undefined && !scope && !paths',
    tests: APPROVALS,
  },
  {
    name: "outbox: the digest of an approval is not compared",
    file: "src/mess/sources/draft.ts",
    find: "if (digest !== draft.digest) return refuseChanged(draft);",
    replace: "",
    tests: APPROVALS,
  },
  {
    name: "outbox: an attempt that was cut short is repeated where the provider cannot tell",
    file: "src/sources/outbox/send-draft.ts",
    find: "if (draft.life.attempt_since !== undefined && !prepared.kind.detectsRepeats)",
    replace: "if (draft.life.attempt_since === -1 && !prepared.kind.detectsRepeats)",
    tests: SENDING,
  },
  {
    name: "outbox: a message that may have been sent is sent again",
    file: "src/sources/outbox/send-draft.ts",
    find: "if (result.mayBeSent && !kind.detectsRepeats)",
    replace: "if (result.mayBeSent && kind.detectsRepeats)",
    tests: SENDING,
  },
  {
    name: "outbox: two jobs send one draft at the same time",
    file: "src/sources/outbox/send-draft.ts",
    find: "let attempt = this.#running.get(seq);",
    replace: "let attempt = this.#running.get(-1);",
    tests: SENDING,
  },
  {
    name: "outbox: a key that completes the request approves",
    file: "src/thread/deciding-person.ts",
    find: 'role === "owner" && isBrowserSession(credential) && !scope && !paths ? actor : undefined;',
    replace:
      'role === "owner" && credential !== undefined && !scope && !paths ? actor : undefined;',
    tests: PERSONS,
  },
  {
    name: "outbox: a link that completes the request approves",
    file: "src/thread/deciding-person.ts",
    find: 'role === "owner" && isBrowserSession(credential) && !scope && !paths ? actor : undefined;',
    replace: 'role === "owner" && isBrowserSession(credential) && !paths ? actor : undefined;',
    tests: PERSONS,
  },
  {
    name: "outbox: a member of a shared chat approves as its owner",
    file: "src/household/contacts/resolve-inbound.ts",
    find: "return one !== undefined && others.length === 0 && getEffectiveRole(stores, one)",
    replace: "return one !== undefined && others.length >= 0 && getEffectiveRole(stores, one)",
    tests: ["household/contacts/resolve-inbound"],
  },
  {
    name: "outbox: completing with a text approves",
    file: "src/thread/deciding-person.ts",
    find: "blocks.length === 1 &&",
    replace: "blocks.length > 0 &&",
    tests: PERSONS,
  },
];
