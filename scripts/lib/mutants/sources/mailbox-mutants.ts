/** Defects of mailboxes: mails that are lost, repeated or sent twice, and passwords that are sent in clear. */
import type { Mutant } from "../mutant.ts";

const UNIT = "unit/source-kinds/mailbox";
const FOLDER = "src/source-kinds/mailbox";

const LOGIN_SECRETS = "src/household/message-sources/login-secrets.ts";
const LOGIN_TESTS = ["household/sources/login-secrets"];

export const MAILBOX_MUTANTS: readonly Mutant[] = [
  {
    name: "mailbox: a stored password is sent to a server that a key writes",
    file: LOGIN_SECRETS,
    find: " && writeLogin(kind, before.settings) === writeLogin(kind, settings);",
    replace: ";",
    tests: LOGIN_TESTS,
  },
  {
    name: "mailbox: another secret is sent as the password",
    file: LOGIN_SECRETS,
    find: "      secrets.get(secret) !== undefined,\n",
    replace: "      secrets.get(secret) === null,\n",
    tests: LOGIN_TESTS,
  },
  {
    name: "mailbox: its password is sent in the address of a hook",
    file: LOGIN_SECRETS,
    find: "find((secret) => bound.has(secret))",
    replace: "find(() => false)",
    tests: LOGIN_TESTS,
  },
  {
    name: "mailbox: a password that an owner set by name is free after the mailbox is removed",
    file: LOGIN_SECRETS,
    find: "if (!still.has(name)) stores.secrets.remove(name);",
    replace: "if (!still.has(name)) stores.secrets.get(name);",
    tests: LOGIN_TESTS,
  },
  {
    name: "mailbox: a mail server in a private network is allowed",
    file: "src/egress/egress-address.ts",
    find: "if (forbidden !== undefined) return refuseServer(forbidden);",
    replace: "",
    tests: [`${UNIT}/settings`],
  },
  {
    name: "mailbox: a public mail server is used without encryption",
    file: "src/egress/egress-address.ts",
    find: '? refuseServer("its port is not one of encrypted mail")',
    replace: '? ok("none")',
    tests: [`${UNIT}/settings`],
  },
  {
    name: "mailbox: bytes from before the encryption count as the server's answer",
    file: `${FOLDER}/mail-connection.ts`,
    find: "    this.#at = this.#chunk.length;\n",
    replace: "",
    tests: [`${UNIT}/imap-session`, `${UNIT}/smtp-session`],
  },
  {
    name: "mailbox: a server that greets as logged in is used without encryption",
    file: `${FOLDER}/imap-session.ts`,
    find: "if (!/^\\* (?:OK|BYE)\\b/i",
    replace: "if (!/^\\* (?:OK|BYE|PREAUTH)\\b/i",
    tests: [`${UNIT}/imap-session`],
  },
  {
    name: "mailbox: the mail at which the connection broke is passed over",
    file: `${FOLDER}/poll.ts`,
    find: "if (error instanceof MailServerError && messages.length > 0)\n        return { messages, state: { ...state, last_uid: last }, more: true };",
    replace:
      "if (error instanceof MailServerError && messages.length > 0)\n        return { messages, state: { ...state, last_uid: uid }, more: true };",
    tests: [`${UNIT}/poll`],
  },
  {
    name: "mailbox: mails are lost when the server gives all of them new numbers",
    file: `${FOLDER}/poll.ts`,
    find: "if (known.uid_validity === uidValidity) return known.last_uid;",
    replace: "if (known.uid_validity > 0) return known.last_uid;",
    tests: [`${UNIT}/poll`],
  },
  {
    name: "mailbox: the first poll reads all old mails",
    file: `${FOLDER}/poll.ts`,
    find: "if (!known) return uidNext - 1;",
    replace: "if (!known) return 0;",
    tests: [`${UNIT}/poll`],
  },
  {
    name: "mailbox: a mail whose receipt was lost is sent again",
    file: `${FOLDER}/smtp-session.ts`,
    find: "    this.#isHandedOver = true;\n",
    replace: "",
    tests: [`${UNIT}/smtp-session`, "source-kinds/contract"],
  },
  {
    name: "mailbox: a stranger's header makes its sender authentic",
    file: "src/source-kinds/mail/read-mail.ts",
    find: 'isServerUnknown ? "unknown" : readSenderAuthenticity(mail)',
    replace: "isServerUnknown ? readSenderAuthenticity(mail) : readSenderAuthenticity(mail)",
    tests: [`${UNIT}/poll`],
  },
];
