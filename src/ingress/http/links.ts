/** Links: letting an executor that has no key into one thread, and what the bearer of a link does there. */
import * as z from "zod";
import { LONGEST_LINK, makeLink, USUAL_LINK } from "../../auth/links.ts";
import { LINK_PERMISSIONS } from "../../auth/principal.ts";
import { configOf } from "../../config.ts";
import { post, read } from "../../exchange.ts";
import { reach, type Reached } from "../../exchange/reach.ts";
import type { Envelope } from "../../mess/envelope.ts";
import { readDuration } from "../../mess/durations.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { parseMessages } from "../../mess/parse.ts";
import { ok } from "../../mess/result.ts";
import { readTime, writeTime } from "../../mess/times.ts";
import { readObject, TEXT_TYPES } from "./body.ts";
import { MESSAGE_TYPES, readMessage } from "./messages.ts";
import { linkQuery } from "./parameters.ts";
import { postedBody, postedStatus } from "./posted.ts";
import { type Call, type Handled, memberRoute, type Route } from "./route.ts";
import { threadBody } from "./thread-body.ts";

const linkBody = z.strictObject({
  executor: z.string().min(1).max(64),
  permissions: z
    .array(z.enum(LINK_PERMISSIONS))
    .min(1)
    .default([...LINK_PERMISSIONS]),
  /** A duration from now, or a time. */
  expires: z.string().max(64).optional(),
});

type LinkBody = z.output<typeof linkBody>;

async function giveLink(call: Call): Handled {
  const { env, principal } = call;
  return await reach(env, principal, call.param("ref"), undefined, async (reached) => {
    const view = await reached.stub.read(principal, Number.MAX_SAFE_INTEGER);
    if (!view.ok) return view;
    const body = await readObject(call.request, linkBody);
    if (!body.ok) return body;
    const { envelope } = view.value;
    const allowed = await mayGive(call, reached, envelope, body.value);
    if (!allowed.ok) return allowed;
    const expires = expiryOf(envelope, body.value);
    if (!expires.ok) return expires;
    const { executor, permissions } = body.value;
    const { ref } = envelope;
    const token = await makeLink(configOf(env).secret, {
      household: principal.household,
      ref,
      executor,
      permissions,
      expires: expires.value,
    });
    const url = `${new URL(call.request.url).origin}/thread/${ref}?token=${token}`;
    return ok({ status: 201, body: { url, expires: writeTime(expires.value * 1_000, "UTC") } });
  });
}

/** Owners and the requestor give links to those whom the thread was offered to, an executor to itself. */
async function mayGive(
  { principal }: Call,
  { stub }: Reached,
  envelope: Envelope,
  { executor }: LinkBody,
): Promise<Outcome<true>> {
  const { actor, role, household } = principal;
  if (role !== "owner" && actor !== envelope.requestor && actor !== executor)
    return refuse(
      "wrong_role",
      "an executor makes links for itself only",
      "Name yourself as the executor, or ask the requestor.",
    );
  const seen = await stub.mayUpload({ household, actor: executor, role: "executor" });
  if (seen.ok && executor !== envelope.requestor) return seen;
  const route = await stub.route(principal);
  return refuse(
    "unknown_executor",
    "the thread was not offered to this executor",
    "Name one that the thread was offered to.",
    route.ok ? { valid: route.value.candidates.map(({ id }) => id) } : {},
  );
}

/** Seconds since 1970: as asked, else the longer of a day and the thread's own end (decision 65). */
function expiryOf(envelope: Envelope, { expires }: LinkBody): Outcome<number> {
  const now = Math.floor(Date.now() / 1_000);
  const latest = now + LONGEST_LINK;
  if (expires === undefined) {
    const end = readTime(envelope.expires ?? "", "UTC") ?? 0;
    return ok(Math.min(latest, Math.max(now + USUAL_LINK, Math.ceil(end / 1_000))));
  }
  const seconds = readDuration(expires);
  const instant = readTime(expires, "UTC");
  const at = seconds === undefined ? Math.floor((instant ?? 0) / 1_000) : now + seconds;
  return at > now && at <= latest
    ? ok(at)
    : refuse(
        "bad_field",
        "expires: not a time ahead, or too far",
        "Write a duration such as 2h or P2D, or an ISO 8601 time, at most 31 days ahead.",
        { path: "expires" },
      );
}

/** Refuses what is no message to a thread: it would go past the address that it was sent to. */
function staysHere(text: string, target: string): Outcome<true> {
  const parsed = parseMessages(text, { target });
  if (!parsed.ok) return parsed;
  return parsed.value.every(({ re }) => re !== undefined)
    ? ok(true)
    : refuse(
        "bad_shape",
        "requests, queries and configuration belong to no thread",
        "Send them to POST /mess.",
      );
}

async function openLink(call: Call): Handled {
  const view = await read(call.env, call.principal, call.param("ref"));
  return view.ok ? ok(threadBody(view.value)) : view;
}

async function answerLink(call: Call): Handled {
  const raw = await readMessage(call.request, call.key);
  if (!raw.ok) return raw;
  const target = call.param("ref");
  const meant = staysHere(raw.value.text, target);
  if (!meant.ok) return meant;
  const posted = await post(call.env, call.principal, { ...raw.value, target });
  if (!posted.ok) return posted;
  const { entries } = posted.value;
  const [first] = entries;
  const status = postedStatus(posted.value);
  const said = first && "ack" in first ? { ack: first.ack } : {};
  const all = entries.length > 1 ? postedBody(posted.value).body : {};
  return ok({ status, body: { ok: status !== 207, ...said, ...all } });
}

export const linkRoutes: readonly Route[] = [
  memberRoute({
    method: "post",
    path: "/mess/{ref}/links",
    access: "member",
    summary: "A link with which an executor opens and answers this thread without a key",
    description:
      "For owners, the requestor, and an executor for itself. A link made twice is two links, each good by itself.",
    body: { description: "Whom it is for", types: TEXT_TYPES, schema: linkBody },
    status: 201,
    handle: giveLink,
  }),
  memberRoute({
    method: "get",
    path: "/thread/{ref}",
    access: "link",
    summary: "The thread, for the bearer of a link",
    query: linkQuery,
    handle: openLink,
  }),
  memberRoute({
    method: "post",
    path: "/thread/{ref}",
    access: "link",
    summary: "Say something in the thread, as the executor that the link speaks for",
    query: linkQuery,
    body: { description: "A MESS message, YAML or JSON", types: MESSAGE_TYPES },
    handle: answerLink,
  }),
];
