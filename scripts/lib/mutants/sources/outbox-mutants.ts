/** Defects through which something would be sent that no person approved, or would be sent twice. */
import type { Mutant } from "../mutant.ts";

const APPROVALS = ["sources/approvals"];
const SENDING = ["sources/send-drafts"];
const PERSONS = ["unit/thread/deciding-person"];
const CONFIRMED = ["household/contacts/approval-chats"];
const RESOLVE_INBOUND = "household/contacts/resolve-inbound";
const VERIFIED = ["oauth/verified-sessions"];

const PRINCIPAL = "src/auth/principal.ts";
const CHATS = "src/household/contacts/approval-chats.ts";
const FIELDS = "src/mess/sources/draft-fields.ts";
const FIELD_TESTS = ["unit/mess/sources/draft-fields"];
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
    find: "by_operator === true || isVerifiedSession(stores, made_with, now);",
    replace: "true;",
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
    name: "outbox: a tap approves in a chat that its owner has not confirmed",
    file: "src/household/contacts/resolve-inbound.ts",
    find: "const decides = decider?.isConfirmed && ",
    replace: "const decides = decider && ",
    tests: [RESOLVE_INBOUND],
  },
  {
    name: "outbox: a tap on any message of the bot approves",
    file: "src/household/contacts/resolve-inbound.ts",
    find: "decider?.isConfirmed && isAboutSentMessage(stores, query, source, ref);",
    replace: "decider?.isConfirmed;",
    tests: [RESOLVE_INBOUND],
  },
  {
    name: "outbox: a confirmed chat counts for every owner",
    file: CHATS,
    find: '"SELECT 1 FROM approval_chats WHERE channel = ? AND identity = ? AND actor = ?"',
    replace: '"SELECT 1 FROM approval_chats WHERE channel = ? AND identity = ? AND actor <> ?"',
    tests: [RESOLVE_INBOUND],
  },
  {
    name: "outbox: a session that a key opened confirms chats",
    file: SIGN_IN,
    find: 'return person.verified && person.role === "owner" ?',
    replace: 'return person.role === "owner" ?',
    tests: CONFIRMED,
  },
  {
    name: "outbox: a chat stays confirmed although a key writes settings of its channel",
    file: CHATS,
    find: "JSON.stringify(written) !== JSON.stringify(before[channel]) ||",
    replace: "",
    tests: CONFIRMED,
  },
  {
    name: "outbox: a chat stays confirmed although a key writes a secret of its channel",
    file: CHATS,
    find: "own.some((name) => changedSecrets.includes(name) || elsewhere.includes(name))",
    replace: "own.some((name) => elsewhere.includes(name))",
    tests: CONFIRMED,
  },
  {
    name: "outbox: a chat stays confirmed although a key uses a secret of its channel elsewhere",
    file: CHATS,
    find: "own.some((name) => changedSecrets.includes(name) || elsewhere.includes(name))",
    replace: "own.some((name) => changedSecrets.includes(name))",
    tests: CONFIRMED,
  },
  {
    name: "outbox: a chat stays confirmed although a hook uses a secret of its channel",
    file: CHATS,
    find: "const { dispatch = {}, ...parts } = change;",
    replace: "const { dispatch = {}, hooks: _, ...parts } = change;",
    tests: CONFIRMED,
  },
  {
    name: "outbox: a chat is confirmed although a secret of its channel is used elsewhere",
    file: CHATS,
    find: "if (places.length > 0)",
    replace: "if (places.length > 99)",
    tests: CONFIRMED,
  },
  {
    name: "outbox: a chat is confirmed although a key knows what verifies its taps",
    file: CHATS,
    find: "if (written[key] !== undefined)",
    replace: 'if (key === "api" && written[key] !== undefined)',
    tests: CONFIRMED,
  },
  {
    name: "outbox: a secret that another service was given verifies taps",
    file: CHATS,
    find: "stores.secrets.removeGenerated(`${channel}.`);",
    replace: "{}",
    tests: CONFIRMED,
  },
  {
    name: "outbox: a chat stays confirmed although a key sets a named secret of its channel",
    file: "src/household/secrets/secrets-facet.ts",
    find: "endConfirmationsOfSecret(stores, name);",
    replace: "",
    tests: CONFIRMED,
  },
  {
    name: "outbox: the page offers to send in a session that a key opened",
    file: "src/thread/describe-actions.ts",
    find: 'action !== "completed" || getSessionOwner(viewer) !== undefined',
    replace: 'action !== "completed" || viewer.role === "owner"',
    tests: VERIFIED,
  },
  {
    name: "outbox: who is no person ends the request",
    file: "src/thread/write-message.ts",
    find: "if (endsApprovalWithoutPerson(state, after, input.channel, person)) return refuseNoPerson();",
    replace: "",
    tests: ["sources/owner-requests"],
  },
  {
    name: "outbox: an address has characters that nobody sees",
    file: FIELDS,
    find: "HEADER_CONTROLS.test(one) ||\n      INVISIBLE.test(one),",
    replace: "HEADER_CONTROLS.test(one),",
    tests: FIELD_TESTS,
  },
  {
    name: "outbox: a text hides characters from the person who approves it",
    file: FIELDS,
    find: "HIDDEN_PATTERNS.some((one) => one.test(text));",
    replace: "HIDDEN_PATTERNS.slice(1).some((one) => one.test(text));",
    tests: FIELD_TESTS,
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
    find: "if (isInterrupted && (isRedirected || !prepared.kind.detectsRepeats))",
    replace: "if (isInterrupted && isRedirected)",
    tests: SENDING,
  },
  {
    name: "outbox: a change of the source's settings redirects what was approved",
    file: "src/sources/outbox/send-draft.ts",
    find: "if (isRedirected) return this.#askAgain(draft);",
    replace: "",
    tests: SENDING,
  },
  {
    name: "outbox: an attempt that was cut short is repeated to another address",
    file: "src/sources/outbox/send-draft.ts",
    find: "if (isInterrupted && (isRedirected || ",
    replace: "if (isInterrupted && (false || ",
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
    find: "if (actor === undefined || others.length > 0) return undefined;",
    replace: "if (actor === undefined) return undefined;",
    tests: [RESOLVE_INBOUND],
  },
  {
    name: "outbox: completing with a text approves",
    file: "src/thread/deciding-person.ts",
    find: "blocks.length === 1 &&",
    replace: "blocks.length > 0 &&",
    tests: PERSONS,
  },
];
