/** Push messages: a browser in which somebody is signed in asks to be told, or not to be told any more. */
import { householdStub } from "../../../stubs.ts";
import * as z from "zod";
import { type Person, signedIn } from "../../../auth/people/browser-caller.ts";
import { unauthenticated } from "../../../auth/unauthenticated.ts";
import { configOf } from "../../../config.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { boundedText } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { fail, ok } from "../../../mess/result.ts";
import { readObject, TEXT_TYPES } from "../../http/request-body.ts";
import { householdQuery } from "../../http/parameters.ts";
import { type Handled, type OpenCall, openRoute, type Route } from "../../http/route.ts";
import { foreignFault } from "../respond/check-origin.ts";

const text = (maxChars: number) => boundedText(maxChars).min(1);
const endpoint = boundedText(LIMITS.urlChars).pipe(z.url({ protocol: /^https?$/ }));
/** As the browser's own `toJSON` gives it. */
const subscription = z.strictObject({
  endpoint,
  keys: z.strictObject({ p256dh: text(200), auth: text(100) }),
});
const ended = z.strictObject({ endpoint });

type Call = OpenCall<z.output<typeof householdQuery>>;

/** Who is signed in, in one household: each has its own key and its own list of browsers. */
async function personOf({ env, request }: Call): Promise<Outcome<Person>> {
  const foreign = foreignFault(request);
  if (foreign) return fail(foreign);
  const people = await signedIn(env, configOf(env).secret, request);
  if (!people.ok) return people;
  const [person, ...others] = people.value;
  if (!person) return unauthenticated();
  return others.length === 0
    ? ok(person)
    : refuse("bad_parameter", "this browser is signed in to several households", "Give session.", {
        path: "session",
      });
}

async function showKey(call: Call): Handled {
  const person = await personOf(call);
  if (!person.ok) return person;
  const vapid = await householdStub(call.env, person.value.household).vapid();
  return vapid.ok ? ok({ body: { key: vapid.value.publicKey } }) : vapid;
}

async function subscribe(call: Call): Handled {
  const person = await personOf(call);
  if (!person.ok) return person;
  const read = await readObject(call.request, subscription);
  if (!read.ok) return read;
  const { household, actor, session } = person.value;
  const done = await householdStub(call.env, household).subscribe(actor, read.value, session);
  return done.ok ? ok({ status: 201, body: { subscribed: true } }) : done;
}

async function unsubscribe(call: Call): Handled {
  const person = await personOf(call);
  if (!person.ok) return person;
  const read = await readObject(call.request, ended);
  if (!read.ok) return read;
  const { household, actor } = person.value;
  const done = await householdStub(call.env, household).unsubscribe(actor, read.value.endpoint);
  // One that is not known is as good as ended.
  return done.ok || done.error.code === "not_found" ? ok({ body: { subscribed: false } }) : done;
}

const about = { access: "open", query: householdQuery } as const;

export const pushRoutes: readonly Route[] = [
  openRoute({
    ...about,
    method: "get",
    path: "/inbox/push-key",
    summary: "The household's public key, with which a browser subscribes to push messages",
    handle: showKey,
  }),
  openRoute({
    ...about,
    method: "post",
    path: "/inbox/subscriptions",
    summary: "This browser takes push messages for who is signed in",
    body: { description: "A PushSubscription", types: TEXT_TYPES, schema: subscription },
    status: 201,
    handle: subscribe,
  }),
  openRoute({
    ...about,
    method: "delete",
    path: "/inbox/subscriptions",
    summary: "This browser takes no push messages any more",
    body: { description: "{endpoint}", types: TEXT_TYPES, schema: ended },
    handle: unsubscribe,
  }),
];
