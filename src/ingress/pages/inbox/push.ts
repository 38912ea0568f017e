/** Web Push: a signed-in browser subscribes to notifications, or unsubscribes. */
import { getHouseholdStub } from "../../../stubs.ts";
import * as z from "zod";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { ok } from "../../../mess/result.ts";
import { readObject, TEXT_TYPES } from "../../http/request-body.ts";
import { householdQuerySchema } from "../../http/parameters.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../../http/route.ts";
import { findPerson } from "./find-person.ts";

const textSchema = (maxChars: number) => boundedTextSchema(maxChars).min(1);
const endpointSchema = boundedTextSchema(LIMITS.urlChars).pipe(z.url({ protocol: /^https?$/ }));
/** The result of the browser's own `toJSON`. */
const subscriptionSchema = z.strictObject({
  endpoint: endpointSchema,
  keys: z.strictObject({ p256dh: textSchema(200), auth: textSchema(100) }),
});
const unsubscribeSchema = z.strictObject({ endpoint: endpointSchema });

type PushCall = NoHouseholdCall<z.output<typeof householdQuerySchema>>;

async function readPushKey(call: PushCall): HandlerPromise {
  const person = await findPerson(call);
  if (!person.ok) return person;
  const vapid = await getHouseholdStub(call.env, person.value.household).contacts.getVapidKeys();
  return vapid.ok ? ok({ body: { key: vapid.value.publicKey } }) : vapid;
}

async function subscribe(call: PushCall): HandlerPromise {
  const person = await findPerson(call);
  if (!person.ok) return person;
  const read = await readObject(call.request, subscriptionSchema);
  if (!read.ok) return read;
  const { household, actor, session } = person.value;
  const done = await getHouseholdStub(call.env, household).contacts.subscribe(
    actor,
    read.value,
    session,
  );
  return done.ok ? ok({ status: 201, body: { subscribed: true } }) : done;
}

async function unsubscribe(call: PushCall): HandlerPromise {
  const person = await findPerson(call);
  if (!person.ok) return person;
  const read = await readObject(call.request, unsubscribeSchema);
  if (!read.ok) return read;
  const { household, actor } = person.value;
  const done = await getHouseholdStub(call.env, household).contacts.unsubscribe(
    actor,
    read.value.endpoint,
  );
  // An unknown subscription counts as ended.
  return done.ok || done.error.code === "not_found" ? ok({ body: { subscribed: false } }) : done;
}

const SHARED_ROUTE_FIELDS = { access: "open", query: householdQuerySchema } as const;

export const pushRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    ...SHARED_ROUTE_FIELDS,
    method: "get",
    path: "/inbox/push-key",
    summary: "The household's public key, with which a browser subscribes to push messages",
    handle: readPushKey,
  }),
  defineNoHouseholdRoute({
    ...SHARED_ROUTE_FIELDS,
    method: "post",
    path: "/inbox/subscriptions",
    summary: "Subscribe this browser to push messages for the signed-in person",
    body: { description: "A PushSubscription", types: TEXT_TYPES, schema: subscriptionSchema },
    status: 201,
    handle: subscribe,
  }),
  defineNoHouseholdRoute({
    ...SHARED_ROUTE_FIELDS,
    method: "delete",
    path: "/inbox/subscriptions",
    summary: "Unsubscribe this browser from push messages",
    body: { description: "{endpoint}", types: TEXT_TYPES, schema: unsubscribeSchema },
    handle: unsubscribe,
  }),
];
