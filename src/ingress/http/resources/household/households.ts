/** `/api/v1`: households, their keys, members, settings and events. */
import { reportNewHousehold } from "../../../../exchange/secret-rotation.ts";
import { listAccepted } from "../../../../auth/worker-secret.ts";
import { defined } from "../../../../mess/defined.ts";
import { toAuditSource } from "../../../../auth/audit-source.ts";
import { getHouseholdStub } from "../../../../stubs.ts";
import * as z from "zod";
import { deriveKey, generateKey, type GeneratedKey } from "../../../../auth/api-keys.ts";
import { HOUSEHOLD_ID_PATTERN } from "../../../../auth/known-households.ts";
import {
  isMessagePath,
  MAX_MESSAGE_PATHS,
  MESSAGE_PATH_CHARS,
} from "../../../../auth/message-paths.ts";
import { ROLES } from "../../../../auth/principal.ts";
import { getConfig } from "../../../../config.ts";
import { log } from "../../../../log.ts";
import type { KeyExpiry, KeyHolder } from "../../../../contracts/identity.ts";
import { readDuration } from "../../../../mess/durations.ts";
import { type Outcome, refuse } from "../../../../mess/errors.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { ok } from "../../../../mess/result.ts";
import { readTime } from "../../../../mess/times.ts";
import { endAccess } from "./end-access.ts";
import { memberIdSchema, readObject, TEXT_TYPES } from "../../request-body.ts";
import { eventsQuerySchema } from "../../parameters.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../../route.ts";

const DEFAULT_OWNER_ID = "owner";
const labelSchema = boundedTextSchema(LIMITS.nameChars).min(1);

const householdBodySchema = z.strictObject({
  id: boundedTextSchema(LIMITS.actorIdChars).regex(
    HOUSEHOLD_ID_PATTERN,
    "1 to 63 lower-case letters, digits and dashes",
  ),
  name: labelSchema.optional(),
  time_zone: boundedTextSchema(LIMITS.timeZoneChars).min(1).default("UTC"),
});

const keyBodySchema = z.strictObject({
  actor: memberIdSchema,
  role: z.enum(ROLES),
  label: labelSchema.optional(),
  /** A duration from now. */
  expires_in: boundedTextSchema(LIMITS.durationChars).optional(),
  expires_at: boundedTextSchema(LIMITS.timeChars).optional(),
  /** Limits the key to message sources, such as `msg/email` (read) or `msg/email/outbox` (draft). */
  paths: z
    .array(
      boundedTextSchema(MESSAGE_PATH_CHARS).refine(
        isMessagePath,
        "a path such as msg/email or msg/email/outbox",
      ),
    )
    .min(1)
    .max(MAX_MESSAGE_PATHS)
    .optional(),
});

/** When the key expires; undefined for a key without expiry. The household checks that it is in the future. */
function readKeyExpiry({
  expires_in: lifetime,
  expires_at: time,
}: z.output<typeof keyBodySchema>): Outcome<KeyExpiry | undefined> {
  if (lifetime !== undefined && time !== undefined)
    return refuse(
      "bad_field",
      "expires_in and expires_at are both given",
      "Give one of them, or neither for a key that does not expire.",
      { path: "expires_in" },
    );
  if (lifetime !== undefined) {
    const seconds = readDuration(lifetime);
    return seconds === undefined
      ? refuse("bad_duration", "expires_in: not a duration", "Write a duration such as 90d.", {
          path: "expires_in",
        })
      : ok({ seconds });
  }
  if (time === undefined) return ok(undefined);
  const at = readTime(time, "UTC");
  return at === undefined
    ? refuse(
        "bad_time",
        "expires_at: not a time",
        "Write ISO 8601, such as 2027-02-01T17:00:00Z.",
        {
          path: "expires_at",
        },
      )
    : ok({ at });
}

/** A call that is repeated after a rotation of the secret gets the key that was derived from the former one. */
async function createKey(
  call: NoHouseholdCall,
  household: string,
  caller: string,
): Promise<GeneratedKey> {
  if (call.key === undefined) return await generateKey(household);
  const [current, ...former] = listAccepted(getConfig(call.env).secret);
  const input = `${caller} ${call.key}`;
  for (const one of former) {
    const earlier = await deriveKey(one, household, input);
    if (await getHouseholdStub(call.env, household).identity.isKnownKey(earlier.hash))
      return earlier;
  }
  return await deriveKey(current!, household, input);
}

const isKeyHolder = (found: KeyHolder | "expired" | null): boolean =>
  found !== null && found !== "expired";

/** A repeated call with the same `Idempotency-Key` returns the same key and finds the existing household. */
async function createHousehold(call: NoHouseholdCall): HandlerPromise {
  const body = await readObject(call.request, householdBodySchema);
  if (!body.ok) return body;
  const { id, name, time_zone } = body.value;
  const { key, hash } = await createKey(call, id, "operator");
  const household = getHouseholdStub(call.env, id);
  const made = await household.settings.setUp(
    { id, time_zone, ...defined({ name }) },
    { actor: DEFAULT_OWNER_ID, key_hash: hash },
  );
  const repeated = !made.ok && made.error.code === "already_exists" && call.key !== undefined;
  const settings =
    repeated && isKeyHolder(await household.identity.authenticateKey(hash))
      ? await household.settings.getSettings()
      : null;
  if (!made.ok && !settings) return made;
  if (made.ok) {
    log("household_made", { household: id });
    // The household's own alarm registers it where this fails.
    await reportNewHousehold(call.env, id).catch(() => undefined);
  }
  return ok({
    status: 201,
    body: { household: made.ok ? made.value : settings, owner: { id: DEFAULT_OWNER_ID, key } },
  });
}

async function readHousehold({ env, principal }: HttpCall): HandlerPromise {
  const { household, actor, role } = principal;
  const settings = await getHouseholdStub(env, household).settings.getSettings();
  return ok({ body: { household: settings, you: { actor, role } } });
}

async function listKeys({ env, principal }: HttpCall): HandlerPromise {
  return ok({
    body: { keys: await getHouseholdStub(env, principal.household).identity.listKeys() },
  });
}

async function addKey(call: HttpCall): HandlerPromise {
  const body = await readObject(call.request, keyBodySchema);
  if (!body.ok) return body;
  const { household, actor: caller } = call.principal;
  const { actor, role, label: named, paths } = body.value;
  const expiry = readKeyExpiry(body.value);
  if (!expiry.ok) return expiry;
  const { key, hash } = await createKey(call, household, caller);
  const added = await getHouseholdStub(call.env, household).identity.addKey(
    { actor, role, key_hash: hash, ...defined({ label: named, expiry: expiry.value, paths }) },
    toAuditSource(call.principal),
  );
  if (!added.ok)
    return added.error.code === "already_exists"
      ? refuse(
          "idempotency_conflict",
          "this Idempotency-Key was used for another member, expiry or paths, or its key was revoked or has expired",
          "Use a new Idempotency-Key for a new key.",
        )
      : added;
  log("key_added", { household, actor, role, key_id: added.value.id });
  return ok({ status: 201, body: { ...added.value, key } });
}

async function revokeKey(call: HttpCall): HandlerPromise {
  const id = call.param("id");
  const revoked = await endAccess(call, (identity, by) => identity.revokeKey(id, by));
  if (!revoked.ok) return revoked;
  log("key_revoked", { household: call.principal.household, key_id: id });
  return ok({ body: { revoked: id } });
}

async function listExecutors({ env, principal }: HttpCall): HandlerPromise {
  const executors = await getHouseholdStub(env, principal.household).settings.listExecutors();
  if (principal.role === "owner") return ok({ body: { executors } });
  // A member's contact addresses are visible only to the member and to owners.
  return ok({
    body: {
      executors: executors.map(
        ({ notify: _notify, extra: _extra, ...publicFields }) => publicFields,
      ),
    },
  });
}

async function readEvents({
  env,
  principal,
  query,
}: HttpCall<z.output<typeof eventsQuerySchema>>): HandlerPromise {
  const { household, actor, role } = principal;
  const { cursor = 0, limit } = query;
  return ok({
    body: await getHouseholdStub(env, household).events.listEvents({ actor, role }, cursor, limit),
  });
}

export const householdRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "post",
    path: "/api/v1/households",
    access: "operator",
    summary: "Create a household; its owner's key is shown only once",
    description:
      "Only the key's digest is stored. A repeated call with the same Idempotency-Key returns the same key; without that header, a lost response cannot be recovered.",
    body: { description: "The household", types: TEXT_TYPES, schema: householdBodySchema },
    status: 201,
    handle: createHousehold,
  }),
  defineMemberRoute({
    method: "get",
    path: "/api/v1/household",
    access: "member",
    summary: "The household, with the caller's member id and role",
    handle: readHousehold,
  }),
  defineMemberRoute({
    method: "get",
    path: "/api/v1/keys",
    access: "owner",
    summary: "The household's API keys with their expiry and last use, without the keys themselves",
    description:
      "Keys that were revoked or have expired are not listed. last_used is accurate to an hour.",
    handle: listKeys,
  }),
  defineMemberRoute({
    method: "post",
    path: "/api/v1/keys",
    access: "owner",
    summary: "Create an API key for a member; it is shown only once",
    description:
      "Only the key's digest is stored. A key with paths is limited to message sources: msg or msg/{source} reads, msg/*/outbox or msg/{source}/outbox writes drafts, msg/classify classifies; it can do nothing else, and its role is agent. A repeated call with the same Idempotency-Key returns the same key while it is not revoked; without that header, it creates a second key. expires_in (a duration) or expires_at (a time) sets an expiry, after which the key is refused with key_expired.",
    body: {
      description: "The member of the key, its label, its expiry, and its paths",
      types: TEXT_TYPES,
      schema: keyBodySchema,
    },
    status: 201,
    handle: addKey,
  }),
  defineMemberRoute({
    method: "delete",
    path: "/api/v1/keys/{id}",
    access: "owner",
    summary: "Revoke a key; it stops working within 30 seconds",
    handle: revokeKey,
  }),
  defineMemberRoute({
    method: "get",
    path: "/api/v1/executors",
    access: "member",
    summary: "The executors of the household, with their capabilities",
    handle: listExecutors,
  }),
  defineMemberRoute({
    method: "get",
    path: "/api/v1/events",
    access: "member",
    summary: "Events of the caller's threads, after a cursor",
    query: eventsQuerySchema,
    handle: readEvents,
  }),
];
