/** Defects where access outlives the credential with which it was created. */
import type { Mutant } from "./mutant.ts";

const LINKS = ["auth/link-origin", "auth/link-revocation"];
const CREDENTIALS = ["oauth/credential-origin"];
const CALLBACKS = ["robots/callback-ends"];

const END_ACCESS = "src/household/identity/end-access.ts";

export const ACCESS_MUTANTS: readonly Mutant[] = [
  {
    name: "a link outlives the key that created it",
    file: END_ACCESS,
    find: "stores.revocations.endCredential(credential, now);",
    replace: "",
    tests: LINKS,
  },
  {
    name: "a link created while its key is revoked outlives the key",
    file: "src/thread/links.ts",
    find: "if (this.#ends.isLinkEnded(link)) return refuseUnauthenticated();",
    replace: "",
    tests: LINKS,
  },
  {
    name: "a revoked link is replaced by a new one on request",
    file: "src/thread/links.ts",
    find: 'this.#selectRows("jti = ?", jti).some(({ revoked }) => revoked === 0)',
    replace: 'this.#selectRows("jti = ?", jti).length > 0',
    tests: ["deliveries/new-link"],
  },
  {
    name: "a repeated message through a link is accepted after its key is revoked",
    file: "src/thread/thread-object.ts",
    find: 'if (linkError?.code === "unauthenticated") return fail(linkError);',
    replace: "",
    tests: LINKS,
  },
  {
    name: "no alarm is set for a thread that misses the end of a key",
    file: "src/household/household-context.ts",
    find: "closeListeners(this.#ctx, (credential) => isLive(stores, credential, now));\n    await this.setAlarm();",
    replace: "closeListeners(this.#ctx, (credential) => isLive(stores, credential, now));",
    tests: LINKS,
  },
  {
    name: "a thread that was down is not notified again of ended access",
    file: "src/object/jobs.ts",
    find: "this.#table.postpone(job, clock() + delayMs);",
    replace: "this.#table.complete(job);",
    tests: LINKS,
  },
  {
    name: "a thread that was down is notified of ended access hours later",
    file: "src/household/jobs/thread-jobs.ts",
    find: "retryDelayMs: REVOCATION_RETRY,",
    replace: "retryDelayMs: THREAD_RETRY,",
    tests: LINKS,
  },
  {
    name: "a revoked key creates links while it is cached",
    file: END_ACCESS,
    find: "if (!isLive(stores, credential, now)) return refuseUnauthenticated();",
    replace: "",
    tests: LINKS,
  },
  {
    name: "a notice to a member reuses a link that was created with a key",
    file: "src/thread/links.ts",
    find: "AND made_with = 'exchange' AND permissions",
    replace: "AND permissions",
    tests: LINKS,
  },
  {
    name: "a member that is added again can use ended links",
    file: "src/thread/access-ends.ts",
    find: "subject = ? AND membership >= ?",
    replace: "subject = ? AND membership > ?",
    tests: LINKS,
  },
  {
    name: "a member that is added again gets no links",
    file: "src/household/identity/members.ts",
    find: "membership = membership + 1",
    replace: "membership = membership",
    tests: LINKS,
  },
  {
    name: "a live socket outlives its link and its key",
    file: "src/thread/thread-object.ts",
    find: "this.#links.endAccess(end, Date.now());\n    this.#runtime.notifyWatchers();",
    replace: "this.#links.endAccess(end, Date.now());",
    tests: LINKS,
  },
  {
    name: "a session outlives the key of its sign-in link",
    file: END_ACCESS,
    find: "for (const session of stores.people.endMadeWith(credential)) endSession(stores, session, now);",
    replace: "",
    tests: CREDENTIALS,
  },
  {
    name: "a grant outlives the key behind its session",
    file: END_ACCESS,
    find: "for (const grant of stores.grants.endMadeWith(credential))",
    replace: "for (const grant of [] as string[])",
    tests: CREDENTIALS,
  },
  {
    name: "a push subscription outlives its session",
    file: END_ACCESS,
    find: "stores.subscriptions.removeOfSession(session);",
    replace: "",
    tests: CREDENTIALS,
  },
  {
    name: "a listener outlives its credential",
    file: "src/household/events/listeners.ts",
    find: "if (!isLive((viewer as Listener).credential)) closeWaiter",
    replace: "if (false) closeWaiter",
    tests: CREDENTIALS,
  },
  {
    name: "a wait outlives the key that started it",
    file: "src/exchange/exchange.ts",
    find: "if (!(await isStillLive(env, principal))) return refuseUnauthenticated();",
    replace: "",
    tests: CREDENTIALS,
  },
  {
    name: "a revoked owner's key creates keys while it is cached",
    file: "src/ingress/http/serve-route.ts",
    find: "return (await isStillLive(c.env, member.value)) ? member : refuseUnauthenticated();",
    replace: "return member;",
    tests: CREDENTIALS,
  },
  {
    name: "a callback token outlives its thread",
    file: "src/thread/links.ts",
    find: "return finished ? refuseDeadCallbackToken(state.status).error : undefined;",
    replace: "return undefined;",
    tests: CALLBACKS,
  },
  {
    name: "a callback token outlives its webhook's secret",
    file: "src/household/contacts/callback-credentials.ts",
    find: "secret ?? null]",
    replace: "null]",
    tests: CALLBACKS,
  },
  {
    name: "a callback token outlives its robot",
    file: "src/household/contacts/callback-credentials.ts",
    find: "JSON.stringify([members.getMembership(executor), ",
    replace: "JSON.stringify([0, ",
    tests: CALLBACKS,
  },
];
