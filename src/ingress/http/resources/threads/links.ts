/** Links: they give an executor without a key access to one thread, and can be revoked (decision 65). */
import { toAuditSource } from "../../../../auth/audit-source.ts";
import { defined } from "../../../../mess/defined.ts";
import { buildThreadCallKey } from "../../../../auth/call-key.ts";
import { getHouseholdStub } from "../../../../stubs.ts";
import * as z from "zod";
import { MAX_LINK_SECONDS, DEFAULT_LINK_SECONDS } from "../../../../auth/links/links.ts";
import { type CredentialId, LINK_PERMISSIONS } from "../../../../auth/principal.ts";
import { buildLinkAddresses } from "../../../../auth/links/short-links.ts";
import { refuseUnauthenticated } from "../../../../auth/unauthenticated.ts";
import { getConfig, getLinkOrigin } from "../../../../config.ts";
import { withThread, type ResolvedThread } from "../../../../exchange/with-thread.ts";
import type { Envelope } from "../../../../mess/envelope.ts";
import { readDuration } from "../../../../mess/durations.ts";
import { type Outcome, refuse } from "../../../../mess/errors.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { ok } from "../../../../mess/result.ts";
import { readTime, writeTime } from "../../../../mess/times.ts";
import type { ThreadLink } from "../../../../contracts/thread.ts";
import { memberIdSchema, readObject, TEXT_TYPES } from "../../request-body.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";

const linkBodySchema = z.strictObject({
  executor: memberIdSchema,
  permissions: z
    .array(z.enum(LINK_PERMISSIONS))
    .min(1)
    .default([...LINK_PERMISSIONS]),
  /** A duration from now, or a time. */
  expires: boundedTextSchema(LIMITS.timeChars).optional(),
});

const revokeQuerySchema = z.strictObject({ executor: memberIdSchema.exactOptional() });

type LinkBody = z.output<typeof linkBodySchema>;

const writeTimeOfSeconds = (seconds: number): string => writeTime(seconds * 1_000, "UTC");

async function createLink(call: HttpCall): HandlerPromise {
  const { env, principal } = call;
  return await withThread(env, principal, call.param("ref"), undefined, async (thread) => {
    const view = await thread.stub.readThread(principal, Number.MAX_SAFE_INTEGER);
    if (!view.ok) return view;
    const body = await readObject(call.request, linkBodySchema);
    if (!body.ok) return body;
    const { envelope } = view.value;
    const { credential } = principal;
    if (credential === undefined) return refuseUnauthenticated();
    const allowed = await checkMayCreate(call, thread, envelope, body.value, credential);
    if (!allowed.ok) return allowed;
    const expires = computeExpiry(envelope, body.value);
    if (!expires.ok) return expires;
    const added = await thread.stub.addLink({
      ...body.value,
      expires: expires.value,
      made_with: credential,
      membership: allowed.value.membership,
      by: toAuditSource(principal),
      // Another key makes another link, because the first one expires with its own credential.
      ...defined({ call_key: buildThreadCallKey(call) }),
      ...(call.key === undefined ? {} : { call: `${principal.actor}/${credential}/${call.key}` }),
    });
    if (!added.ok) return added;
    const { jti, number } = added.value;
    const link = { ...added.value, household: principal.household, ref: envelope.ref };
    const origin = getLinkOrigin(env, call.request);
    const addresses = await buildLinkAddresses(getConfig(env).secret, origin, link, number);
    const response = { ...addresses, expires: writeTimeOfSeconds(link.expires), jti };
    return ok({ status: 201, body: response });
  });
}
/** Maximum number of candidates that a refusal lists. */
const MAX_LISTED_EXECUTORS = 20;

/** Owners and the requestor make links for members that the thread was offered to; an executor only for itself. */
async function checkMayCreate(
  { env, principal }: HttpCall,
  { stub }: ResolvedThread,
  envelope: Envelope,
  { executor }: LinkBody,
  credential: CredentialId,
): Promise<Outcome<{ membership: number }>> {
  const { actor, role, household } = principal;
  if (role !== "owner" && actor !== envelope.requestor && actor !== executor)
    return refuse(
      "wrong_role",
      "an executor makes links for itself only",
      "Name yourself as the executor, or ask the requestor.",
    );
  const checkVisible = async (id: string) =>
    await stub.checkUpload({ household, actor: id, role: "executor" });
  const canSee = await checkVisible(executor);
  // A removed member stays a participant of the thread, but gets no new link.
  const permitted = await getHouseholdStub(env, household).identity.permitLink({
    credential,
    executor,
    ref: envelope.ref,
  });
  if (!permitted.ok && permitted.error.code !== "unknown_executor") return permitted;
  if (canSee.ok && permitted.ok && executor !== envelope.requestor) return permitted;
  const route = await stub.getRoute(principal);
  const candidates = route.ok
    ? [...route.value.candidates, ...(route.value.later ?? [])].slice(0, MAX_LISTED_EXECUTORS)
    : [];
  // Candidates of later escalation steps have no offer yet.
  const offered = await Promise.all(
    candidates.map(async ({ id }) => ((await checkVisible(id)).ok ? [id] : [])),
  );
  return refuse(
    "unknown_executor",
    "the thread was not offered to this executor",
    "Name an executor that the thread was offered to.",
    route.ok ? { valid: offered.flat() } : {},
  );
}

/** Seconds since 1970: as requested, else one day or the thread's own expiry, whichever is later (decision 65). */
function computeExpiry(envelope: Envelope, { expires }: LinkBody): Outcome<number> {
  const now = Math.floor(Date.now() / 1_000);
  const latest = now + MAX_LINK_SECONDS;
  if (expires === undefined) {
    const end = readTime(envelope.expires ?? "", "UTC") ?? 0;
    return ok(Math.min(latest, Math.max(now + DEFAULT_LINK_SECONDS, Math.ceil(end / 1_000))));
  }
  const seconds = readDuration(expires);
  const instant = readTime(expires, "UTC");
  const at = seconds === undefined ? Math.floor((instant ?? 0) / 1_000) : now + seconds;
  return at > now && at <= latest
    ? ok(at)
    : refuse(
        "bad_field",
        "expires: not in the future, or too far ahead",
        "Write a duration such as 2h or P2D, or an ISO 8601 time, at most 31 days ahead.",
        { path: "expires" },
      );
}

const toListedLink = ({
  jti,
  executor: executorId,
  permissions,
  made,
  expires,
  revoked,
}: ThreadLink) => ({
  jti,
  executor: executorId,
  permissions,
  made: writeTimeOfSeconds(made),
  expires: writeTimeOfSeconds(expires),
  revoked,
});

async function listLinks({ env, principal, param }: HttpCall): HandlerPromise {
  const links = await withThread(env, principal, param("ref"), undefined, ({ stub }) =>
    stub.listLinks(principal),
  );
  return links.ok ? ok({ body: { links: links.value.map(toListedLink) } }) : links;
}

async function revoke(
  { env, principal, param }: HttpCall,
  links: { jti?: string; executor?: string },
): HandlerPromise {
  const revoked = await withThread(env, principal, param("ref"), undefined, ({ stub }) =>
    stub.revokeLinks(principal, links, toAuditSource(principal)),
  );
  return revoked.ok ? ok({ body: { links: revoked.value.map(toListedLink) } }) : revoked;
}

const revokeLink = (call: HttpCall): HandlerPromise => revoke(call, { jti: call.param("jti") });

const revokeAll = (call: HttpCall<z.output<typeof revokeQuerySchema>>): HandlerPromise =>
  revoke(call, call.query);

export const linkRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "post",
    path: "/mess/{ref}/links",
    access: "member",
    summary: "A link with which an executor opens and answers this thread without a key",
    description:
      "For owners, the requestor, and an executor for itself. Two calls make two independent links, unless both have the same Idempotency-Key. The short address contains no token: it is a signed code that the thread resolves.",
    body: {
      description: "The executor that the link is for",
      types: TEXT_TYPES,
      schema: linkBodySchema,
    },
    status: 201,
    handle: createLink,
  }),
  defineMemberRoute({
    method: "get",
    path: "/mess/{ref}/links",
    access: "member",
    summary: "The thread's links, without their tokens; an executor sees its own",
    handle: listLinks,
  }),
  defineMemberRoute({
    method: "delete",
    path: "/mess/{ref}/links",
    access: "member",
    summary: "Revoke all links to this thread, or all of one executor",
    query: revokeQuerySchema,
    handle: revokeAll,
  }),
  defineMemberRoute({
    method: "delete",
    path: "/mess/{ref}/links/{jti}",
    access: "member",
    summary: "Revoke one link",
    handle: revokeLink,
  }),
];
