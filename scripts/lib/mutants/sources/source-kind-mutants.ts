/** Defects of the kinds of message sources: forged, lost, repeated or misdirected messages. */
import type { Mutant } from "../mutant.ts";

const CONTRACT = "source-kinds/contract";
const MAILS = [CONTRACT, "source-kinds/email"];
const HOOKS = [CONTRACT, "source-kinds/webhook"];
const POLLING = ["sources/polling"];

export const SOURCE_KIND_MUTANTS: readonly Mutant[] = [
  {
    name: "sources: a webhook with any signature is accepted",
    file: "src/source-kinds/webhook/verify.ts",
    find: 'headers && (await verifyWebhook(secret, headers, body)) ? headers["webhook-id"] : undefined',
    replace:
      'headers && ((await verifyWebhook(secret, headers, body)) || true) ? headers["webhook-id"] : undefined',
    tests: HOOKS,
  },
  {
    name: "sources: an event of GitHub with any signature is accepted",
    file: "src/source-kinds/webhook/hub-signature.ts",
    find: "return await crypto.subtle.verify(",
    replace: "return hex.length > 0 || await crypto.subtle.verify(",
    tests: HOOKS,
  },
  {
    name: "sources: GitHub's signature is accepted where Standard Webhooks is set",
    file: "src/source-kinds/webhook/verify.ts",
    find: "return isExpected ? id : undefined;",
    replace: 'return id ?? (isGithub ? "github" : undefined);',
    tests: HOOKS,
  },
  {
    name: "sources: an event of GitHub counts by the id of its delivery, which is not signed",
    file: "src/source-kinds/webhook/verify.ts",
    find: "`sha256:${await hashSha256(body)}`",
    replace: '`${headers.get("X-GitHub-Delivery")}`',
    tests: HOOKS,
  },
  {
    name: "sources: no signature is computed for a source that does not exist",
    file: "src/source-kinds/webhook/verify.ts",
    find: "  const isGithub = headers.has(HUB_SIGNATURE_HEADER);",
    replace:
      "  if (!settings) return undefined;\n  const isGithub = headers.has(HUB_SIGNATURE_HEADER);",
    tests: HOOKS,
  },
  {
    name: "sources: the JSON of a webhook is read in prototypes",
    file: "src/source-kinds/webhook/json-path.ts",
    find: "isMap(value) && Object.hasOwn(value, key)",
    replace: "isMap(value) && key in value",
    tests: HOOKS,
  },
  {
    name: "sources: a mail to a disconnected source is dropped",
    file: "src/ingress/email/receive-source-mail.ts",
    find: 'return refuseByCode("source_disconnected")',
    replace: 'return "received"',
    tests: MAILS,
  },
  {
    name: "sources: a refused mail is reported as delivered",
    file: "src/ingress/email/receive-email.ts",
    find: 'return received === "received" ? undefined : received;',
    replace: "return undefined;",
    tests: MAILS,
  },
  {
    name: "sources: a member's answer to a task lands in the mail source",
    file: "src/ingress/email/receive-email.ts",
    find: "if (!code || isAutomatic(mail, message.from)) {",
    replace: "if (message.to !== undefined) {",
    tests: MAILS,
  },
  {
    name: "sources: the sender of a mail says itself whether it is authentic",
    file: "src/source-kinds/mail/read-mail.ts",
    find: ".filter((one) => one.key !== ownKey)",
    replace: ".filter((one) => one.key !== undefined)",
    tests: MAILS,
  },
  {
    name: "sources: a mail of a stranger with the Message-ID of another mail suppresses it",
    file: "src/source-kinds/mail/identify-mail.ts",
    find: "[authenticity, sender, automatic ?? null, headers, content]",
    replace: "[messageId]",
    tests: MAILS,
  },
  {
    name: "sources: a stranger's message that a full source refuses is acknowledged",
    file: "src/ingress/webhooks/receive-source-message.ts",
    find: '? refuse("internal", "the message could not be stored", "Send it again later.")',
    replace: '? ok({ kind: "none" })',
    tests: ["sources/chats/telegram-source"],
  },
  {
    name: "sources: a text that is no message id becomes a header of a reply",
    file: "src/source-kinds/mail/outgoing-mail.ts",
    find: "if (!answers || !isMessageId(id)) return {};",
    replace: "if (!answers) return {};",
    tests: MAILS,
  },
  {
    name: "sources: a recipient of a mail may be a list of addresses",
    file: "src/source-kinds/mail/outgoing-mail.ts",
    find: "addresses.every((one) => ADDRESS_PATTERN.test(one))",
    replace: 'addresses.every((one) => one.includes("@"))',
    tests: MAILS,
  },
  {
    name: "sources: an answer to a program's mail is not marked",
    file: "src/source-kinds/mail/outgoing-mail.ts",
    find: 'automatic === undefined ? {} : { "Auto-Submitted": "auto-replied" }',
    replace: 'automatic === undefined ? { "Auto-Submitted": "auto-replied" } : {}',
    tests: MAILS,
  },
  {
    name: "sources: a mail whose connection broke is sent again",
    file: "src/source-kinds/email/send.ts",
    find: 'reason: "the mail service did not answer", mayBeSent: true',
    replace: 'reason: "the mail service did not answer"',
    tests: MAILS,
  },
  {
    name: "sources: what a webhook source sends has another id at each attempt",
    file: "src/source-kinds/webhook/send.ts",
    find: "signWebhook(own ?? secret, message.key, now, body)",
    replace: "signWebhook(own ?? secret, crypto.randomUUID(), now, body)",
    tests: HOOKS,
  },
  {
    name: "sources: polling keeps its state without the messages",
    file: "src/sources/polling/receive-with-state.ts",
    find: "messages.length === 0 ? ok([]) : receiveMessages(store, messages, now)",
    replace: "messages.length >= 0 ? ok([]) : receiveMessages(store, messages, now)",
    tests: POLLING,
  },
  {
    name: "sources: polling continues after a permanent failure",
    file: "src/sources/polling/schedule-poll.ts",
    find: "if (failure.isPermanent) return;",
    replace: "",
    tests: POLLING,
  },
  {
    name: "sources: a provider that asks to wait is polled before",
    file: "src/sources/polling/schedule-poll.ts",
    find: "if (failures === 0) putPoll",
    replace: "if (failures >= 0) putPoll",
    tests: POLLING,
  },
  {
    name: "sources: a poll by replaced settings stores its messages",
    file: "src/sources/polling/poll-jobs.ts",
    find: "if (store.get().revision !== record.revision) return ok(null);",
    replace: "",
    tests: POLLING,
  },
];
