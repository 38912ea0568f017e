/**
 * Deliberate defects, each of which the reliability harness must catch: a text that stands in a source file exactly
 * once, what it becomes, and the tests that must fail then.
 */
export interface Mutant {
  /** What is wrong then. */
  name: string;
  file: string;
  find: string;
  replace: string;
  /** Test files under `test/workers/`, without `.test.ts`. */
  tests: readonly string[];
}

const SCHEDULES = ["reliability/crash-schedules-1"];
const TENANTS = ["reliability/tenants"];
const SECRETS = ["reliability/secrets"];
const INDEX = ["reliability/index-outage"];
const TRAVEL = ["reliability/round-trip"];
const DELIVERIES = ["reliability/deliveries"];
const FAILING = ["deliveries/failing"];
const ROBOTS = ["robots/storm"];
const CALLBACKS = ["robots/callbacks"];
const FILES = ["robots/files"];
const HOOKS = ["dispatch/webhook"];
const CALLS = ["dispatch/mcp"];
const POLLS = ["robots/polling"];
const TEXTS = ["ingress/sms"];
const MAILS = ["ingress/email"];
const SLACK = ["ingress/slack"];
const TELEGRAM = ["ingress/telegram"];

export const MUTANTS: readonly Mutant[] = [
  {
    name: "a failed call counts as told",
    file: "src/thread/outbox.ts",
    find: "(this.#failures.get(target) ?? 0) + 1);\n        return;",
    replace: "(this.#failures.get(target) ?? 0) + 1);",
    tests: SCHEDULES,
  },
  {
    name: "what lags is not tried again",
    file: "src/thread/outbox.ts",
    find: "return pauses.length === 0 ?",
    replace: "return pauses.length >= 0 ?",
    tests: SCHEDULES,
  },
  {
    name: "the outbox waits for the index before it answers",
    file: "src/thread/keeper.ts",
    find: "this.#ctx.waitUntil(this.#outbox.drain());",
    replace: "await this.#outbox.drain();",
    tests: INDEX,
  },
  {
    name: "a change is written without a transaction",
    file: "src/thread/keeper.ts",
    find: "this.#ctx.storage.transactionSync(() => {",
    replace: "((work: () => void) => work())(() => {",
    tests: SCHEDULES,
  },
  {
    name: "no alarm is set",
    file: "src/thread/keeper.ts",
    find: "if (due.length === 0) return;",
    replace: "if (due.length >= 0) return;",
    tests: SCHEDULES,
  },
  {
    name: "a message's key is not kept",
    file: "src/thread/record.ts",
    find: "if (idempotency) log.keepReceipt(idempotency, receipt);",
    replace: "",
    tests: SCHEDULES,
  },
  {
    name: "a message's key is not kept, for robots",
    file: "src/thread/record.ts",
    find: "if (idempotency) log.keepReceipt(idempotency, receipt);",
    replace:
      'if (idempotency && input.channel !== "webhook") log.keepReceipt(idempotency, receipt);',
    tests: ["reliability/duplicates"],
  },
  {
    name: "a key answers for any message",
    file: "src/thread/record.ts",
    find: "if (done && done.digest !== idempotency.digest)",
    replace: "if (done && done.digest === idempotency.key)",
    tests: SCHEDULES,
  },
  {
    name: "a thread is made a second time",
    file: "src/thread/object.ts",
    find: "if (this.#keeper.exists()) return createdBefore(this.#log, input);",
    replace: "",
    tests: SCHEDULES,
  },
  {
    name: "a taken upload still counts as stale",
    file: "src/thread/record.ts",
    find: "for (const token of attached.tokens) log.dropUpload(token);",
    replace: "",
    tests: SCHEDULES,
  },
  {
    name: "attachments are not recorded",
    file: "src/thread/record.ts",
    find: "for (const attachment of attached.attachments) log.insertAttachment(attachment);",
    replace: "",
    tests: SCHEDULES,
  },
  {
    name: "a file is named by the serial before time spoke",
    file: "src/thread/record.ts",
    find: "nextSerial(state, now))",
    replace: "state.serial + 1)",
    tests: ["thread/attachments"],
  },
  {
    name: "acks are not stored",
    file: "src/thread/log.ts",
    find: "      JSON.stringify(acks),",
    replace: '      "[]",',
    tests: SCHEDULES,
  },
  {
    name: "an imported thread loses its history",
    file: "src/thread/adopt.ts",
    find: "history: envelope.history",
    replace: "history: []",
    tests: TRAVEL,
  },
  {
    name: "blobs are dropped though their fate is unknown",
    file: "src/exchange/blobs.ts",
    find: "const { outcome, used } = await act(stored);",
    replace:
      "const { outcome, used } = await act(stored).catch(async (error: unknown) => { await drop(env, stored); throw error; });",
    tests: SCHEDULES,
  },
  {
    name: "blobs of refused messages stay",
    file: "src/exchange/blobs.ts",
    find: "if (keys.length > 0) await dropBlobs",
    replace: "if (keys.length < 0) await dropBlobs",
    tests: SCHEDULES,
  },
  {
    name: "blobs of a repeated request stay",
    file: "src/exchange/ask.ts",
    find: "used[index] = created.value.fresh;",
    replace: "used[index] = true;",
    tests: SCHEDULES,
  },
  {
    name: "a refused request leaves its ref in the household",
    file: "src/exchange/ask.ts",
    find: "if (unsent) return fail(unsent);",
    replace: "",
    tests: SCHEDULES,
  },
  {
    name: "one key of two actors is one",
    file: "src/exchange/tell.ts",
    find: "key: `${principal.actor}/${index}/${key}`",
    replace: "key: `${index}/${key}`",
    tests: SCHEDULES,
  },
  {
    name: "serials of a day are given out twice",
    file: "src/household/serials.ts",
    find: "last = last + excluded.last RETURNING",
    replace: "last = last RETURNING",
    tests: SCHEDULES,
  },
  {
    name: "an id with the same body is a new request",
    file: "src/household/client-ids.ts",
    find: "now - SAME_FOR",
    replace: "now + SAME_FOR",
    tests: SCHEDULES,
  },
  {
    name: "a call's key is not kept by the household",
    file: "src/household/open.ts",
    find: "if (input.key !== undefined) calls.add(input.actor, input.key, settled);",
    replace: "",
    tests: SCHEDULES,
  },
  {
    name: "nobody waits for a dependency",
    file: "src/household/open.ts",
    find: "blocked_by: stores.dependencies.blocking(ref)",
    replace: "blocked_by: []",
    tests: SCHEDULES,
  },
  {
    name: "the end of a thread is told to nobody",
    file: "src/household/object.ts",
    find: "stores.dependencies.ended(summary.ref, summary.status, now);",
    replace: "",
    tests: SCHEDULES,
  },
  {
    name: "a dependent that did not answer counts as told",
    file: "src/household/chores.ts",
    find: "stores.dependencies.postpone(unblock, now);",
    replace: "stores.dependencies.told(unblock);",
    tests: SCHEDULES,
  },
  {
    name: "an old summary overwrites a newer one",
    file: "src/household/catalogue.ts",
    find: "if (summary.seq <= before.seq) return null;",
    replace: "",
    tests: SCHEDULES,
  },
  {
    name: "an event is written for every change",
    file: "src/household/object.ts",
    find: "if (moved || before.seq === 0) stores.events.append(summary);",
    replace: "stores.events.append(summary);",
    tests: SCHEDULES,
  },
  {
    name: "the sweep takes what threads refer to",
    file: "src/household/sweep.ts",
    find: "for (const key of lists.flat()) keys.add(key);",
    replace: "",
    tests: SCHEDULES,
  },
  {
    name: "a revoked key still opens",
    file: "src/household/credentials.ts",
    find: "row && row.revoked === null ?",
    replace: "row ?",
    tests: TENANTS,
  },
  {
    name: "an older row overwrites a newer one of the index",
    file: "src/partitions/upsert.ts",
    find: '"excluded.seq > threads.seq"',
    replace: '"1"',
    tests: SCHEDULES,
  },
  {
    name: "a rebuild leaves rows that no thread backs",
    file: "src/partitions/rebuild.ts",
    find: "  await removeAll(db, household, unbacked);",
    replace: "",
    tests: INDEX,
  },
  {
    name: "a rebuild trusts rows of the same seq",
    file: "src/partitions/upsert.ts",
    find: '"excluded.seq >= threads.seq"',
    replace: '"excluded.seq > threads.seq"',
    tests: INDEX,
  },
  {
    name: "a list throws when D1 does",
    file: "src/partitions/within.ts",
    find: "  } catch {\n",
    replace: "  } catch (error) {\n    if (error) throw error;\n",
    tests: INDEX,
  },
  {
    name: "a message is not counted",
    file: "src/mess/thread/draft.ts",
    find: "    this.documents.push(stored);\n    this.state.documents++;",
    replace: "    this.documents.push(stored);",
    tests: SCHEDULES,
  },
  {
    name: "a change of status is not logged",
    file: "src/mess/thread/draft.ts",
    find: "    this.log(status, by, name, note);",
    replace: "",
    tests: SCHEDULES,
  },
  {
    name: "a completed dependency still blocks",
    file: "src/mess/thread/dependencies.ts",
    find: 'status === "completed" || state.on_dependency_failure',
    replace: "state.on_dependency_failure",
    tests: SCHEDULES,
  },
  {
    name: "every member sees every thread",
    file: "src/mess/thread/policy.ts",
    find: "return relation.requestor || relation.holder || relation.candidate;",
    replace: "return true;",
    tests: TENANTS,
  },
  {
    name: "a link opens every thread of its executor",
    file: "src/thread/object.ts",
    find: "if (viewer.scope && viewer.scope.ref !== state.ref) return undefined;",
    replace: "",
    tests: TENANTS,
  },
  {
    name: "any right hash opens any household",
    file: "src/auth/api-keys.ts",
    find: "if (!member) return unauthenticated();",
    replace: 'if (!member) return ok({ household, actor: "cook", role: "owner" });',
    tests: TENANTS,
  },
  {
    name: "a defect's words are logged",
    file: "src/log.ts",
    find: 'frames.slice(0, 8).join("\\n")',
    replace: "stack",
    tests: SECRETS,
  },
  {
    name: "a new key is logged",
    file: "src/ingress/http/households.ts",
    find: 'log("key_added", { household,',
    replace: 'log("key_added", { household, key,',
    tests: SECRETS,
  },
  {
    name: "a key is stored as its own label",
    file: "src/ingress/http/households.ts",
    find: "...(named === undefined ? {} : { label: named }),",
    replace: "label: key,",
    tests: SECRETS,
  },
  {
    name: "no alarm comes back to deliveries",
    file: "src/thread/keeper.ts",
    find: "this.#courier.nextTry(deliveries.nextDue(this.#courier.busy), Date.now()),",
    replace: "",
    tests: DELIVERIES,
  },
  {
    name: "a delivery is given up in silence",
    file: "src/dispatch/lane.ts",
    find: "await this.#desk.giveUp(",
    replace:
      'this.#desk.write(() => this.#desk.deliveries.change(id, { state: "dead" }, now));\n    void ((_delivery: Delivery, _reason: string) => undefined)(',
    tests: DELIVERIES,
  },
  {
    name: "no owner learns of a dead delivery",
    file: "src/thread/desk.ts",
    find: "alertOwners(log, delivery, reason, now);",
    replace: "",
    tests: DELIVERIES,
  },
  {
    name: "the household does not learn of a dead delivery",
    file: "src/dispatch/deliver.ts",
    find: "await within(PATIENCE, household.deliveryFailed(this.#desk.summary(), executor, at));",
    replace: "void [executor, at, household];",
    tests: DELIVERIES,
  },
  {
    name: "what failed counts as delivered",
    file: "src/dispatch/lane.ts",
    find: "if (sent.ok) this.#succeed(delivery, address, sent, seq);",
    replace:
      "if (sent.ok || delivery.attempts > 2) this.#succeed(delivery, address, { ok: true }, seq);",
    tests: DELIVERIES,
  },
  {
    name: "deliveries are written after their change",
    file: "src/thread/log.ts",
    find: "this.#follow(row.seq === 0 ? undefined : row.state, change);",
    replace: "setTimeout(() => this.#follow(row.seq === 0 ? undefined : row.state, change), 1);",
    tests: FAILING,
  },
  {
    name: "every attempt has an id of its own",
    file: "src/dispatch/notice.ts",
    find: "  return {\n    id,\n    kind,",
    replace: "  return {\n    id: `${id}-${delivery.attempts}`,\n    kind,",
    tests: FAILING,
  },
  {
    name: "one member is sent to after the other",
    file: "src/dispatch/deliver.ts",
    find: "this.#lanes.set(key, this.#run(lane, key));",
    replace: "this.#lanes.set(key, this.#run(lane, key));\n      await this.#lanes.get(key);",
    tests: FAILING,
  },
  {
    name: "a delivery of no use is sent all the same",
    file: "src/dispatch/useful.ts",
    find: 'if (state.executor !== null) return "somebody else has taken the thread";',
    replace: "",
    tests: FAILING,
  },
  {
    name: "an endpoint is tried nine times",
    file: "src/dispatch/schedule.ts",
    find: "  20 * HOUR,\n",
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
    file: "src/thread/deliveries.ts",
    find: "\"state = 'delivered' AND kind <> 'update' AND channel = ? AND handle = ?\"",
    replace: "\"kind <> 'update' AND channel = ? AND coalesce(handle, ?2) = ?\"",
    tests: TEXTS,
  },
  {
    name: "a mail is answered from any address",
    file: "src/auth/reply-codes.ts",
    find: "`${household} ${ref} ${address.toLowerCase()}`",
    replace: "`${household} ${ref} ${address.slice(0, 0)}`",
    tests: MAILS,
  },
  {
    name: "a mail that its server does not vouch for is taken",
    file: "src/ingress/email/receive-email.ts",
    find: "if (!isAuthentic(mail))",
    replace: "if (!isAuthentic(mail) && mail.date === undefined)",
    tests: MAILS,
  },
  {
    name: "a mail that nobody wrote is taken",
    file: "src/ingress/email/receive-email.ts",
    find: 'if (isAutomatic(mail, message.from)) return ignored("automatic");',
    replace: 'if (isAutomatic(mail, message.from)) ignored("automatic");',
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
    file: "src/ingress/webhooks/slack-signature.ts",
    find: "> TOLERANCE) return false;",
    replace: "> TOLERANCE * 10_000) return false;",
    tests: SLACK,
  },
  {
    name: "Slack: an event or a tap counts each time that it comes",
    file: "src/ingress/webhooks/receive.ts",
    find: "key: `${channel}:${inbound.id}`,",
    replace: "key: `${channel}:${inbound.id}${Math.random()}`,",
    tests: SLACK,
  },
  {
    name: "Slack: the bot's token goes wherever a file is said to lie",
    file: "src/ingress/webhooks/slack.ts",
    find: "if (!isSlacks(url, settings)) return lostFile(",
    replace: 'if (url === "") return lostFile(',
    tests: SLACK,
  },
  {
    name: "Slack: what could not be taken is answered as if it had been",
    file: "src/ingress/webhooks/slack.ts",
    find: "retry < LAST_RETRY) return heard;",
    replace: "retry < 0) return heard;",
    tests: SLACK,
  },
  {
    name: "Slack: everything that is written in a channel is an answer",
    file: "src/ingress/webhooks/slack-payload.ts",
    find: "(thread_ts === undefined || !ours)",
    replace: "(thread_ts === undefined && !ours && user === channel)",
    tests: SLACK,
  },
  {
    name: "Telegram: an update is believed without its secret",
    file: "src/ingress/webhooks/telegram.ts",
    find: "if (!settings || !same)",
    replace: "if (!settings)",
    tests: TELEGRAM,
  },
  {
    name: "Telegram: the pictures of an album go their own ways",
    file: "src/ingress/webhooks/receive.ts",
    find: "id: inbound.group ?? inbound.id,",
    replace: "id: inbound.id,",
    tests: TELEGRAM,
  },
  {
    name: "Telegram: an edit takes the words of news away",
    file: "src/dispatch/channels/buttons.ts",
    find: 'edits === "news" || edits === "alert";',
    replace: 'edits === "alert";',
    tests: ["dispatch/telegram"],
  },
  {
    name: "Telegram: words are for the message that was edited last",
    file: "src/dispatch/lane.ts",
    find: "identity === undefined || handle !== null ?",
    replace: "identity === undefined ?",
    tests: TELEGRAM,
  },
  {
    name: "Telegram: what cannot be had now is lost",
    file: "src/ingress/webhooks/telegram.ts",
    find: "deed.tap === undefined && !late) return heard;",
    replace: "deed.tap !== undefined && !late) return heard;",
    tests: TELEGRAM,
  },
  {
    name: "Robots: a callback is believed whoever signed it",
    file: "src/auth/callbacks.ts",
    find: "if (!known || !good ||",
    replace: "if (!known ||",
    tests: ROBOTS,
  },
  {
    name: "Robots: a callback's signature never grows old",
    file: "src/auth/webhook-signatures.ts",
    find: "> TOLERANCE) return undefined;",
    replace: "> TOLERANCE * 10_000) return undefined;",
    tests: ROBOTS,
  },
  {
    name: "Robots: a callback counts each time that it comes",
    file: "src/ingress/webhooks/executor.ts",
    find: 'key: headers["webhook-id"] });',
    replace: "key: undefined });",
    tests: ROBOTS,
  },
  {
    name: "Robots: a token is good for every executor",
    file: "src/ingress/webhooks/executor.ts",
    find: 'if (household !== param("household") || actor !== param("executor"))',
    replace: 'if (household !== param("household"))',
    tests: CALLBACKS,
  },
  {
    name: "Robots: a token is good for every thread",
    file: "src/auth/callbacks.ts",
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
    file: "src/dispatch/channels/webhook.ts",
    find: "signWebhook(secret, id, now, body.bytes)",
    replace: "signWebhook(secret, `${id}${now}`, now, body.bytes)",
    tests: HOOKS,
  },
  {
    name: "Robots: an answer of another thread is said",
    file: "src/dispatch/channels/said.ts",
    find: "splitTarget(re).thread !== ref)",
    replace: "splitTarget(re).thread === '')",
    tests: HOOKS,
  },
  {
    name: "Robots: who could not have the task is called",
    file: "src/dispatch/channels/mcp.ts",
    find: 'if (!notice.mine && say && !(await say(mess({ status: { code: "claimed" } })))) {',
    replace:
      'if (!notice.mine && say && !(await say(mess({ status: { code: "claimed" } }))) && now < 0) {',
    tests: CALLS,
  },
  {
    name: "Robots: who waits for tasks is not woken",
    file: "src/exchange/tasks.ts",
    find: "    wake?.();\n  };\n  const end",
    replace: "  };\n  const end",
    tests: POLLS,
  },
  {
    name: "Robots: a thread that changes keeps its place in the list of changes",
    file: "src/household/catalogue.ts",
    find: "change = (SELECT max(change) + 1 FROM threads) WHERE",
    replace: "change = max(change, n) WHERE",
    tests: POLLS,
  },
];
