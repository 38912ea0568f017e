/** Defects of deliveries and channels: lost, forged or repeated messages. */
import type { Mutant } from "./mutant.ts";

const DELIVERIES = ["reliability/deliveries"];
const FAILING = ["deliveries/failures"];
const RECEIVING = "channels/receive-contract";
const SMS = [RECEIVING, "ingress/sms"];
const MAILS = [RECEIVING, "ingress/email"];
const MAIL_STORM = ["ingress/email-storm"];
const EVERY_CHANNEL = ["channels/send-contract", "channels/failure-contract"];
const SLACK = [
  RECEIVING,
  "ingress/chats",
  "ingress/slack",
  "ingress/slack-hook",
  "ingress/slack-files",
];
const TELEGRAM = [
  RECEIVING,
  "ingress/chats",
  "ingress/telegram",
  "ingress/telegram-hook",
  "ingress/telegram-files",
];
const ALERTS = ["ingress/owner-alerts"];
const INBOUND = ["household/resolve-inbound"];

export const CHANNEL_MUTANTS: readonly Mutant[] = [
  {
    name: "no alarm is set for the next delivery attempt",
    file: "src/thread/thread-runtime.ts",
    find: "this.#scheduler.getNextTry(deliveries.getNextDue(this.#scheduler.isBusy), now),",
    replace: "",
    tests: DELIVERIES,
  },
  {
    name: "a delivery is given up without a record",
    file: "src/delivery/member-queue.ts",
    find: "await this.#port.giveUp(\n",
    replace:
      'this.#port.runTransaction(() => this.#port.deliveries.change(id, { state: "dead" }, now));\n    void ((_delivery: Delivery, _reason: string) => undefined)(\n',
    tests: DELIVERIES,
  },
  {
    name: "owners are not notified of a dead delivery",
    file: "src/thread/deliveries/thread-delivery-port.ts",
    find: "alertOwners(log, delivery, reason, now);",
    replace: "",
    tests: DELIVERIES,
  },
  {
    name: "the household is not notified of a dead delivery",
    file: "src/delivery/delivery-scheduler.ts",
    find: "household.events.recordDeliveryFailure(this.#port.getSummary(), executor, at),",
    replace: "Promise.resolve([executor, at]),",
    tests: DELIVERIES,
  },
  {
    name: "a failed delivery counts as delivered",
    file: "src/delivery/member-queue.ts",
    find: "if (result.ok) this.#recordSuccess(delivery, address, result, seq);",
    replace:
      "if (result.ok || delivery.attempts > 2) this.#recordSuccess(delivery, address, { ok: true }, seq);",
    tests: DELIVERIES,
  },
  {
    name: "deliveries are written after the transaction of their change",
    file: "src/thread/thread-log.ts",
    find: "    this.#fanOut(before, change);",
    replace: "    setTimeout(() => this.#fanOut(before, change), 1);",
    tests: FAILING,
  },
  {
    name: "every delivery attempt has a different id",
    file: "src/delivery/build-notice.ts",
    find: "  return {\n    id,\n    kind,",
    replace: "  return {\n    id: `${id}-${delivery.attempts}`,\n    kind,",
    tests: FAILING,
  },
  {
    name: "members are notified one after the other",
    file: "src/delivery/delivery-scheduler.ts",
    find: "this.#queues.set(key, this.#runQueue(queue, key));",
    replace:
      "this.#queues.set(key, this.#runQueue(queue, key));\n      await this.#queues.get(key);",
    tests: FAILING,
  },
  {
    name: "an irrelevant delivery is sent",
    file: "src/delivery/drop-reason.ts",
    find: 'if (state.executor !== null) return "another member has taken the thread";',
    replace: "",
    tests: FAILING,
  },
  {
    name: "an endpoint is tried one time too few",
    file: "src/delivery/retry-schedule.ts",
    find: "  20 * HOUR_MS,\n",
    replace: "",
    tests: FAILING,
  },
  {
    name: "an SMS with an invalid signature is accepted",
    file: "src/channels/sms/receive-request.ts",
    find: "if (!settings.success || !isSigned ||",
    replace: "if (!settings.success ||",
    tests: SMS,
  },
  {
    name: "a repeated SMS counts again",
    file: "src/ingress/webhooks/twilio.ts",
    find: '    channel: "sms",\n    id,',
    replace: '    channel: "sms",\n    id: `${id}${Math.random()}`,',
    tests: SMS,
  },
  {
    name: "an undelivered SMS is reported each time",
    file: "src/thread/deliveries/delivery-table.ts",
    find: "\"state = 'delivered' AND kind <> 'update' AND channel = ? AND handle = ?\"",
    replace: "\"kind <> 'update' AND channel = ? AND coalesce(handle, ?2) = ?\"",
    tests: SMS,
  },
  {
    name: "a reply by mail is accepted from any address",
    file: "src/auth/links/reply-codes.ts",
    find: "`${household} ${ref} ${address.toLowerCase()}`",
    replace: "`${household} ${ref} ${address.slice(0, 0)}`",
    tests: MAILS,
  },
  {
    name: "a mail with an unauthenticated sender is accepted",
    file: "src/ingress/email/receive-email.ts",
    find: "if (!isSenderAuthentic(mail))",
    replace: "if (!isSenderAuthentic(mail) && mail.date === undefined)",
    tests: MAILS,
  },
  {
    name: "an automatic mail is accepted",
    file: "src/ingress/email/receive-email.ts",
    find: 'if (isAutomatic(mail, message.from)) return logIgnored("automatic");',
    replace: 'if (isAutomatic(mail, message.from)) logIgnored("automatic");',
    tests: MAILS,
  },
  {
    name: "Slack: an event with an invalid signature is accepted",
    file: "src/channels/slack/receive-request.ts",
    find: "if (!settings.success || !isSigned)",
    replace: "if (!settings.success)",
    tests: SLACK,
  },
  {
    name: "Slack: a signature never expires",
    file: "src/channels/slack/verify.ts",
    find: "> TOLERANCE_SECONDS) return false;",
    replace: "> TOLERANCE_SECONDS * 10_000) return false;",
    tests: SLACK,
  },
  {
    name: "Slack: a repeated event or tap counts again",
    file: "src/ingress/webhooks/receive-chat-event.ts",
    find: "key: `${channel}:${id}`,",
    replace: "key: `${channel}:${id}${Math.random()}`,",
    tests: SLACK,
  },
  {
    name: "Slack: the bot's token is sent to any address of a file",
    file: "src/channels/slack/bot.ts",
    find: "if (!isSlackUrl(url, settings)) return refuseLostFile(",
    replace: 'if (url === "") return refuseLostFile(',
    tests: SLACK,
  },
  {
    name: "Slack: a failed event is acknowledged and not repeated",
    file: "src/ingress/webhooks/slack.ts",
    find: "isEvent && mayRetry && retry < MAX_RETRIES",
    replace: "isEvent && mayRetry && retry < 0",
    tests: SLACK,
  },
  {
    name: "Slack: a reply to an unknown message is applied to another one",
    file: "src/channels/slack/receive.ts",
    find: "...(isOurMessage ? { isOwnMessage: true as const } : {}),",
    replace: "",
    tests: SLACK,
  },
  {
    name: "Slack: every message in a channel is an answer",
    file: "src/channels/slack/receive.ts",
    find: "(thread_ts === undefined || !isOurMessage)",
    replace: "(thread_ts === undefined && !isOurMessage && user === channel)",
    tests: SLACK,
  },
  {
    name: "any member of a chat room acts as the owner",
    file: "src/household/contacts/resolve-inbound.ts",
    find: "const speakers = identified ?? members.filter((one) => one === alerted);",
    replace: "const speakers = [alerted, ...(identified ?? members)];",
    tests: ALERTS,
  },
  {
    name: "an owner acts as owner in reply to any notice",
    file: "src/household/contacts/sent-messages.ts",
    find: "AND ref = ? AND alert = 1",
    replace: "AND ref = ? AND alert >= 0",
    tests: INBOUND,
  },
  {
    name: "Telegram: an update without its secret is accepted",
    file: "src/channels/telegram/receive-request.ts",
    find: "secret === undefined || !isAuthentic)",
    replace: "secret === undefined)",
    tests: TELEGRAM,
  },
  {
    name: "Telegram: the pictures of an album are resolved separately",
    file: "src/channels/inbound-query.ts",
    find: "id: inbound.group ?? inbound.id,",
    replace: "id: inbound.id,",
    tests: TELEGRAM,
  },
  {
    name: "Telegram: a text replies to the message that was edited last",
    file: "src/delivery/member-queue.ts",
    find: "identity === undefined || handle !== null ?",
    replace: "identity === undefined ?",
    tests: TELEGRAM,
  },
  {
    name: "Telegram: an update is lost on a transient error",
    file: "src/ingress/webhooks/telegram.ts",
    find: "event.callbackQueryId === undefined && !late)",
    replace: "event.callbackQueryId !== undefined && !late)",
    tests: TELEGRAM,
  },
  {
    name: "Email: a repeated mail counts again",
    file: "src/ingress/email/receive-email.ts",
    find: 'const id = await hashSha256(mail.messageId ?? new TextDecoder("latin1").decode(raw));',
    replace: "const id = await hashSha256(crypto.randomUUID());",
    tests: MAIL_STORM,
  },
  {
    name: "Email: mail of machines is processed",
    file: "src/ingress/email/receive-email.ts",
    find: 'if (isAutomatic(mail, message.from)) return logIgnored("automatic");',
    replace: "",
    tests: MAIL_STORM,
  },
  {
    name: "Email: a delivery report applies to another mail than it quotes",
    file: "src/thread/deliveries/delivery-table.ts",
    find: 'AND channel = ? AND handle = ?",',
    replace: 'AND channel = ? AND handle <> ?",',
    tests: MAILS,
  },
  {
    name: "an address that refused for good is tried again",
    file: "src/channels/shared/send-failures.ts",
    find: "...(isPermanent ? { isPermanent } : {}),",
    replace: "",
    tests: EVERY_CHANNEL,
  },
  {
    name: "a message has buttons that its thread refuses",
    file: "src/channels/shared/buttons.ts",
    find: "return buttons.filter(({ action }) => actions.includes(action));",
    replace: "return buttons.filter(() => actions.length > 0);",
    tests: EVERY_CHANNEL,
  },
  {
    name: "a long request leaves no space for the link in Discord",
    file: "src/channels/discord/send.ts",
    find: 'const maxTextChars = MAX_CHARS - link.join("").length - 1;',
    replace: "const maxTextChars = MAX_CHARS + link.length;",
    tests: EVERY_CHANNEL,
  },
  {
    name: "a delivery is repeated before the channel's rate limit allows it",
    file: "src/delivery/retry-schedule.ts",
    find: "return now + Math.max(delayMs, requestedMs);",
    replace: "return now + delayMs + requestedMs * 0;",
    tests: EVERY_CHANNEL,
  },
  {
    name: "an invalid signing secret is accepted",
    file: "src/household/secrets/check-secret.ts",
    find: "return error && !error.ok ? error : ok(true);",
    replace: "return error && !error.ok && name === value ? error : ok(true);",
    tests: ["household/secrets"],
  },
  {
    name: "MCP: an open stream does not renew the lease",
    file: "src/channels/mcp/send.ts",
    find: "onData: renew,",
    replace: "onData: () => void renew,",
    tests: ["dispatch/mcp-slow"],
  },
  {
    name: "a channel may postpone a delivery by more than a day",
    file: "src/channels/shared/send-failures.ts",
    find: "Math.min(MAX_WAIT_SECONDS, Math.max(0, Math.ceil(seconds)))",
    replace: "Math.max(0, Math.ceil(seconds))",
    tests: ["unit/dispatch/retry-after"],
  },
  {
    name: "the next attempt may come after more than a day",
    file: "src/delivery/retry-schedule.ts",
    find: "Math.min(MAX_WAIT_MS, Math.max(0, (retryAfter ?? 0) * SECOND_MS))",
    replace: "Math.max(0, (retryAfter ?? 0) * SECOND_MS)",
    tests: ["unit/dispatch/retry-after"],
  },
];
