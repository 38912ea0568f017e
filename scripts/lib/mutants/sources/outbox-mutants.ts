/** Defects through which something would be sent that no person approved, or would be sent twice. */
import type { Mutant } from "../mutant.ts";

const APPROVALS = ["sources/approvals"];
const SENDING = ["sources/send-drafts"];
const PERSONS = ["unit/thread/deciding-person"];
const VERIFIED = ["oauth/verified-sessions"];

const PRINCIPAL = "src/auth/principal.ts";
const SIGN_IN = "src/household/identity/sign-in.ts";

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
    find: "if (isVerifiedOwner(caller)) return ok(true);",
    replace: 'if (caller.role === "owner") return ok(true);',
    tests: APPROVALS,
  },
  {
    name: "outbox: an owner approves in a session that a key opened",
    file: PRINCIPAL,
    find: "isBrowserSession(credential) && verified === true && ",
    replace: "isBrowserSession(credential) && ",
    tests: [...APPROVALS, ...PERSONS],
  },
  {
    name: "outbox: a link that a key made opens a verified session",
    file: SIGN_IN,
    find: "verified: by_operator === true };",
    replace: "verified: true };",
    tests: VERIFIED,
  },
  {
    name: "outbox: a passkey of a session that a key opened opens verified sessions",
    file: SIGN_IN,
    find: "stores.passkeys.add({ ...added, actor, verified }, now);",
    replace: "stores.passkeys.add({ ...added, actor, verified: true }, now);",
    tests: VERIFIED,
  },
  {
    name: "outbox: every passkey opens verified sessions",
    file: SIGN_IN,
    find: "{ ...person, made_with: null, verified }, now",
    replace: "{ ...person, made_with: null, verified: true }, now",
    tests: VERIFIED,
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
    file: PRINCIPAL,
    find: 'role === "owner" && isBrowserSession(credential) && verified',
    replace: 'role === "owner" && credential !== undefined && verified',
    tests: PERSONS,
  },
  {
    name: "outbox: a link that completes the request approves",
    file: PRINCIPAL,
    find: "verified === true && !scope && !paths;",
    replace: "verified === true && !paths;",
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
