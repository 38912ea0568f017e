/** Defects of deliveries and channels: dropped, forged, said twice. */
import type { Mutant } from "./mutant.ts";

const DELIVERIES = ["reliability/deliveries"];
const FAILING = ["deliveries/failures"];
const ROBOTS = ["robots/storm"];
const CALLBACKS = ["robots/callbacks"];
const FILES = ["robots/files"];
const HOOKS = ["dispatch/webhook"];
const CALLS = ["dispatch/mcp"];
const POLLS = ["robots/polling"];
const TEXTS = ["ingress/sms"];
const MAILS = ["ingress/email"];
const MAIL_STORM = ["ingress/email-storm"];
const EVERY_CHANNEL = ["deliveries/channels"];
const SLOW = ["robots/slow"];
const SLACK = ["ingress/chats", "ingress/slack", "ingress/slack-hook", "ingress/slack-files"];
const TELEGRAM = [
  "ingress/chats",
  "ingress/telegram",
  "ingress/telegram-hook",
  "ingress/telegram-files",
];
const ALERTS = ["ingress/owner-alerts"];
const HEARD = ["household/resolve-inbound"];

export const CHANNEL_MUTANTS: readonly Mutant[] = [
  {
    name: "no alarm comes back to deliveries",
    file: "src/thread/thread-runtime.ts",
    find: "this.#scheduler.getNextTry(deliveries.getNextDue(this.#scheduler.isBusy), now),",
    replace: "",
    tests: DELIVERIES,
  },
  {
    name: "a delivery is given up in silence",
    file: "src/delivery/member-queue.ts",
    find: "await this.#port.giveUp(\n",
    replace:
      'this.#port.runTransaction(() => this.#port.deliveries.change(id, { state: "dead" }, now));\n    void ((_delivery: Delivery, _reason: string) => undefined)(\n',
    tests: DELIVERIES,
  },
  {
    name: "no owner learns of a dead delivery",
    file: "src/thread/thread-delivery-port.ts",
    find: "alertOwners(log, delivery, reason, now);",
    replace: "",
    tests: DELIVERIES,
  },
  {
    name: "the household does not learn of a dead delivery",
    file: "src/delivery/delivery-scheduler.ts",
    find: "household.recordDeliveryFailure(this.#port.getSummary(), executor, at),",
    replace: "Promise.resolve([executor, at]),",
    tests: DELIVERIES,
  },
  {
    name: "what failed counts as delivered",
    file: "src/delivery/member-queue.ts",
    find: "if (result.ok) this.#recordSuccess(delivery, address, result, seq);",
    replace:
      "if (result.ok || delivery.attempts > 2) this.#recordSuccess(delivery, address, { ok: true }, getSeq);",
    tests: DELIVERIES,
  },
  {
    name: "deliveries are written after their change",
    file: "src/thread/thread-log.ts",
    find: "this.#fanOut(row.seq === 0 ? undefined : row.state, change);",
    replace: "setTimeout(() => this.#fanOut(row.seq === 0 ? undefined : row.getState, change), 1);",
    tests: FAILING,
  },
  {
    name: "every attempt has an id of its own",
    file: "src/delivery/build-notice.ts",
    find: "  return {\n    id,\n    kind,",
    replace: "  return {\n    id: `${id}-${delivery.attempts}`,\n    kind,",
    tests: FAILING,
  },
  {
    name: "one member is sent to after the other",
    file: "src/delivery/delivery-scheduler.ts",
    find: "this.#queues.set(key, this.#runQueue(queue, key));",
    replace:
      "this.#queues.set(key, this.#runQueue(queue, key));\n      await this.#queues.get(key);",
    tests: FAILING,
  },
  {
    name: "a delivery of no use is sent all the same",
    file: "src/delivery/drop-reason.ts",
    find: 'if (state.executor !== null) return "another member has taken the thread";',
    replace: "",
    tests: FAILING,
  },
  {
    name: "an endpoint is tried nine times",
    file: "src/delivery/retry-schedule.ts",
    find: "  20 * HOUR_MS,\n",
    replace: "",
    tests: FAILING,
  },
  {
    name: "an SMS is believed whoever signed it",
    file: "src/ingress/webhooks/twilio.ts",
    find: "if (!read.success || !signed ||",
    replace: "if (!read.success ||",
    tests: TEXTS,
  },
  {
    name: "an SMS counts each time that it comes",
    file: "src/ingress/webhooks/twilio.ts",
    find: '    channel: "sms",\n    id,',
    replace: '    channel: "sms",\n    id: `${id}${Math.random()}`,',
    tests: TEXTS,
  },
  {
    name: "an SMS that never arrived is told of each time",
    file: "src/thread/delivery-table.ts",
    find: "\"state = 'delivered' AND kind <> 'update' AND channel = ? AND handle = ?\"",
    replace: "\"kind <> 'update' AND channel = ? AND coalesce(handle, ?2) = ?\"",
    tests: TEXTS,
  },
  {
    name: "a mail is answered from any address",
    file: "src/auth/links/reply-codes.ts",
    find: "`${household} ${ref} ${address.toLowerCase()}`",
    replace: "`${household} ${ref} ${address.slice(0, 0)}`",
    tests: MAILS,
  },
  {
    name: "a mail that its server does not vouch for is taken",
    file: "src/ingress/email/receive-email.ts",
    find: "if (!isSenderAuthentic(mail))",
    replace: "if (!isSenderAuthentic(mail) && mail.date === undefined)",
    tests: MAILS,
  },
  {
    name: "a mail that nobody wrote is taken",
    file: "src/ingress/email/receive-email.ts",
    find: 'if (isAutomatic(mail, message.from)) return logIgnored("automatic");',
    replace: 'if (isAutomatic(mail, message.from)) logIgnored("automatic");',
    tests: MAILS,
  },
  {
    name: "Slack: an event is believed whoever signed it",
    file: "src/ingress/webhooks/slack.ts",
    find: "if (!settings || !signed)",
    replace: "if (!settings)",
    tests: SLACK,
  },
  {
    name: "Slack: a signature never grows old",
    file: "src/channels/slack/verify.ts",
    find: "> TOLERANCE_SECONDS) return false;",
    replace: "> TOLERANCE_SECONDS * 10_000) return false;",
    tests: SLACK,
  },
  {
    name: "Slack: an event or a tap counts each time that it comes",
    file: "src/ingress/webhooks/receive-chat-event.ts",
    find: "key: `${channel}:${id}`,",
    replace: "key: `${channel}:${id}${Math.random()}`,",
    tests: SLACK,
  },
  {
    name: "Slack: the bot's token goes wherever a file is said to lie",
    file: "src/channels/slack/bot.ts",
    find: "if (!isSlackUrl(url, settings)) return refuseLostFile(",
    replace: 'if (url === "") return refuseLostFile(',
    tests: SLACK,
  },
  {
    name: "Slack: what could not be taken is answered as if it had been",
    file: "src/ingress/webhooks/slack.ts",
    find: "isEvent && mayRetry && retry < MAX_RETRIES",
    replace: "isEvent && mayRetry && retry < 0",
    tests: SLACK,
  },
  {
    name: "Slack: a reply to a message that is not known is for another one",
    file: "src/channels/slack/receive.ts",
    find: "...(isOurMessage ? { isOwnMessage: true as const } : {}),",
    replace: "",
    tests: SLACK,
  },
  {
    name: "Slack: everything that is written in a channel is an answer",
    file: "src/channels/slack/receive.ts",
    find: "(thread_ts === undefined || !isOurMessage)",
    replace: "(thread_ts === undefined && !isOurMessage && user === channel)",
    tests: SLACK,
  },
  {
    name: "whoever is in a room speaks for the owner",
    file: "src/household/contacts/resolve-inbound.ts",
    find: "const speakers = identified ?? members.filter((one) => one === alerted);",
    replace: "const speakers = [findAlertedOwner, ...(identified ?? members)];",
    tests: ALERTS,
  },
  {
    name: "an owner speaks as one wherever it was told something",
    file: "src/household/contacts/sent-messages.ts",
    find: "AND ref = ? AND alert = 1",
    replace: "AND ref = ? AND alert >= 0",
    tests: HEARD,
  },
  {
    name: "Telegram: an update is believed without its secret",
    file: "src/ingress/webhooks/telegram.ts",
    find: "if (!settings || !isAuthentic)",
    replace: "if (!settings)",
    tests: TELEGRAM,
  },
  {
    name: "Telegram: the pictures of an album go their own ways",
    file: "src/ingress/webhooks/receive-chat-event.ts",
    find: "id: inbound.group ?? inbound.id,",
    replace: "id: inbound.id,",
    tests: TELEGRAM,
  },
  {
    name: "Telegram: words are for the message that was edited last",
    file: "src/delivery/member-queue.ts",
    find: "identity === undefined || handle !== null ?",
    replace: "identity === undefined ?",
    tests: TELEGRAM,
  },
  {
    name: "Telegram: what cannot be had now is lost",
    file: "src/ingress/webhooks/telegram.ts",
    find: "event.callbackQueryId === undefined && !late)",
    replace: "event.callbackQueryId !== undefined && !late)",
    tests: TELEGRAM,
  },
  {
    name: "Robots: a callback is believed whoever signed it",
    file: "src/auth/callbacks/callback-caller.ts",
    find: "if (!known || !isValid)",
    replace: "if (!known)",
    tests: ROBOTS,
  },
  {
    name: "Robots: a callback's signature never grows old",
    file: "src/auth/callbacks/webhook-signatures.ts",
    find: "> TOLERANCE_SECONDS) return undefined;",
    replace: "> TOLERANCE_SECONDS * 10_000) return undefined;",
    tests: ROBOTS,
  },
  {
    name: "Robots: a callback counts each time that it comes",
    file: "src/ingress/webhooks/executor-callbacks.ts",
    find: 'key: headers["webhook-id"] });',
    replace: "key: undefined });",
    tests: ROBOTS,
  },
  {
    name: "Robots: a token is good for every executor",
    file: "src/ingress/webhooks/executor-callbacks.ts",
    find: 'if (household !== param("household") || actor !== param("executor"))',
    replace: 'if (household !== param("household"))',
    tests: CALLBACKS,
  },
  {
    name: "Robots: a token is good for every thread",
    file: "src/auth/callbacks/callback-caller.ts",
    find: 'role: "executor", scope } });',
    replace: 'role: "executor" } });',
    tests: CALLBACKS,
  },
  {
    name: "Robots: files are fetched from anywhere",
    file: "src/ingress/webhooks/fetch-files.ts",
    find: "URL.canParse(uri) && caller.origins.includes(new URL(uri).origin);",
    replace: "URL.canParse(uri);",
    tests: FILES,
  },
  {
    name: "Robots: a webhook's id is another at each attempt",
    file: "src/channels/webhook/send.ts",
    find: "signWebhook(secret, id, now, body.bytes)",
    replace: "signWebhook(secret, `${id}${now}`, now, body.bytes)",
    tests: HOOKS,
  },
  {
    name: "Robots: an answer of another thread is said",
    file: "src/channels/shared/machine-reply.ts",
    find: "splitTarget(re).thread !== ref)",
    replace: "splitTarget(re).thread === '')",
    tests: HOOKS,
  },
  {
    name: "Robots: who could not have the task is called",
    file: "src/channels/mcp/send.ts",
    find: '!(await postReply(writeMess({ status: { code: "claimed" } })))',
    replace: '!(await postReply(writeMess({ status: { code: "claimed" } }))) && now < 0',
    tests: CALLS,
  },
  {
    name: "Robots: who waits for tasks is not woken",
    file: "src/exchange/member-tasks.ts",
    find: "    resume?.();\n  };\n  const end",
    replace: "  };\n  const end",
    tests: POLLS,
  },
  {
    name: "Robots: a thread that changes keeps its place in the list of changes",
    file: "src/household/threads/thread-catalog.ts",
    find: "change = (SELECT max(change) + 1 FROM threads) WHERE",
    replace: "change = max(change, n) WHERE",
    tests: POLLS,
  },
  {
    name: "Email: a mail counts each time that it comes",
    file: "src/ingress/email/receive-email.ts",
    find: 'const id = await hashSha256(mail.messageId ?? new TextDecoder("latin1").decode(raw));',
    replace: "const id = await hashSha256(crypto.randomUUID());",
    tests: MAIL_STORM,
  },
  {
    name: "Email: machines are heard as people are",
    file: "src/ingress/email/receive-email.ts",
    find: 'if (isAutomatic(mail, message.from)) return logIgnored("automatic");',
    replace: "",
    tests: MAIL_STORM,
  },
  {
    name: "Email: a report tells of another mail than it quotes",
    file: "src/thread/delivery-table.ts",
    find: 'AND channel = ? AND handle = ?",',
    replace: 'AND channel = ? AND handle <> ?",',
    tests: MAILS,
  },
  {
    name: "a limit is not waited for",
    file: "src/delivery/retry-schedule.ts",
    find: "return now + Math.max(delayMs, requestedMs);",
    replace: "return now + delayMs + requestedMs * 0;",
    tests: EVERY_CHANNEL,
  },
  {
    name: "a secret that cannot sign is taken",
    file: "src/household/secrets/check-secret.ts",
    find: "return error && !error.ok ? error : ok(true);",
    replace: "return error && !error.ok && name === value ? error : ok(true);",
    tests: ["household/secrets"],
  },
  {
    name: "MCP: a task is looked at once",
    file: "src/channels/mcp/poll-task.ts",
    find: "pollAfterSeconds: getPollSeconds(state.pollSeconds),",
    replace: "",
    tests: SLOW,
  },
  {
    name: "MCP: a task that is not wanted goes on",
    file: "src/channels/mcp/poll-task.ts",
    find: "if (!isHolder || isFinal(status as Status)) return await stop();",
    replace: "",
    tests: SLOW,
  },
  {
    name: "MCP: a robot at work without words loses its task",
    file: "src/channels/mcp/poll-task.ts",
    find: "const MAX_REPORT_INTERVAL_MS = 5 * MINUTE_MS;",
    replace: "const MAX_REPORT_INTERVAL_MS = 500 * MINUTE_MS;",
    tests: SLOW,
  },
  {
    name: "MCP: a stream that is kept open is no sign of life",
    file: "src/channels/mcp/send.ts",
    find: "onData: renew,",
    replace: "onData: () => void renew,",
    tests: ["dispatch/mcp-slow"],
  },
];
