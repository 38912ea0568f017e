/**
 * `POST /hooks/sources/{household}/{source}`: the webhook of a message source. The request is verified on its raw bytes
 * with the source's secret. The response is sent after the messages are stored.
 */
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { isKnownHousehold } from "../../auth/known-households.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { InboundRequest } from "../../channels/inbound.ts";
import { getConfig } from "../../config.ts";
import type { OpenedSource } from "../../contracts/household-sources.ts";
import type { ReceivedMessage } from "../../contracts/sources.ts";
import { createEgress } from "../../egress/egress-fetch.ts";
import {
  receiveParsedMessages,
  receiveWithState,
} from "../../exchange/source-calls/receive-parsed-messages.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { isSourceName } from "../../mess/sources/vocabulary.ts";
import { findSourceKind } from "../../source-kinds/registry.ts";
import type { SourceKind } from "../../source-kinds/source-kind.ts";
import { getHouseholdStub, getSourceStub } from "../../stubs.ts";
import { readBytes } from "../http/request-body.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../http/route.ts";

/** Maximum bytes of a request. */
const MAX_REQUEST_BYTES = 1024 * 1024;
/** Attempts while other requests change what the kind keeps. */
const MAX_STATE_ATTEMPTS = 5;

/** Where the kind has no webhook, a request is refused after the same work as a wrong signature. */
const DECOY_KIND = "webhook";

async function handleRequest(call: NoHouseholdCall): HandlerPromise {
  const { env, request, param } = call;
  const body = await readBytes(request, MAX_REQUEST_BYTES);
  if (!body.ok) return body;
  const ids = { household: param("household"), source: param("source") };
  const opened = await openSource(env, ids);
  const own = opened ? findSourceKind(opened.record.kind) : undefined;
  const hasWebhook = own?.receive !== undefined;
  const received = await receive(
    env,
    ids,
    hasWebhook ? own : findSourceKind(DECOY_KIND)!,
    hasWebhook && opened ? opened.settings : null,
    { url: request.url, headers: request.headers, body: body.value },
  );
  if (!received) return refuseUnauthenticated();
  if (!received.ok) return received;
  const messages = received.value.map(({ id, repeated }) => ({
    id,
    ...(repeated ? { repeated } : {}),
  }));
  return ok({ body: { messages } });
}

/** Longest parameter of Meta's check of the address. */
const MAX_PARAMETER_CHARS = 256;
const parameterSchema = boundedTextSchema(MAX_PARAMETER_CHARS).default("");
const handshakeQuerySchema = z.object({
  "hub.mode": parameterSchema,
  "hub.verify_token": parameterSchema,
  "hub.challenge": parameterSchema,
});
type HandshakeQuery = z.output<typeof handshakeQuerySchema>;

/** Services check the address by a GET request before they send anything. */
async function answerHandshake({
  env,
  query,
  param,
}: NoHouseholdCall<HandshakeQuery>): HandlerPromise {
  const ids = { household: param("household"), source: param("source") };
  const opened = await openSource(env, ids);
  const own = opened ? findSourceKind(opened.record.kind) : undefined;
  const isChecked = own?.answerHandshake !== undefined;
  const kind = isChecked ? own : findSourceKind("whatsapp")!;
  const read = isChecked && opened ? kind.settings.safeParse(opened.settings) : undefined;
  const settings = read?.success === true ? read.data : null;
  const text = await kind.answerHandshake!(settings, new URLSearchParams(query));
  if (text === undefined) return refuseUnauthenticated();
  return ok(new Response(text, { headers: { "Content-Type": "text/plain; charset=utf-8" } }));
}

type SourceIds = { household: string; source: string };

async function openSource(
  env: Env,
  { household, source }: SourceIds,
): Promise<OpenedSource | null> {
  if (!isSourceName(source) || !(await isKnownHousehold(env, household))) return null;
  return await getHouseholdStub(env, household).sources.openSettings(source);
}

/**
 * Stores the messages of a request; undefined if it is not authentic.
 * @param stored the source's settings; null if there is no such source
 */
async function receive(
  env: Env,
  ids: SourceIds,
  kind: SourceKind,
  stored: OpenedSource["settings"] | null,
  request: InboundRequest,
): Promise<Outcome<ReceivedMessage[]> | undefined> {
  const parsed = stored === null ? undefined : kind.settings.safeParse(stored);
  const { loopback, origin } = getConfig(env);
  const context = {
    ...ids,
    settings: parsed?.success === true ? parsed.data : null,
    egress: createEgress({ loopback, origin }),
    env,
    now: Date.now(),
  };
  for (let attempt = 0; attempt < MAX_STATE_ATTEMPTS; attempt++) {
    const before =
      kind.keepsState && context.settings !== null
        ? await getSourceStub(env, ids.household, ids.source).kind.readState()
        : ok({ state: undefined });
    if (!before.ok) return before;
    const { state: former } = before.value;
    const read = await kind.receive!(context, request, former);
    if (!read) return undefined;
    if (!read.ok) return read;
    const { messages, state, pollAt = null } = read.value;
    if (state === undefined)
      return messages.length === 0 ? ok([]) : await receiveParsedMessages(env, ids, messages);
    const change = { before: former, after: state, pollAt };
    const received = await receiveWithState(env, ids, messages, change);
    if (!received.ok || received.value !== null) return received as Outcome<ReceivedMessage[]>;
  }
  return refuseBusy();
}

const refuseBusy = () =>
  refuse("internal", "too many requests to this source at the same time", "Send it again.");

export const sourceHookRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "post",
    path: "/hooks/sources/{household}/{source}",
    access: "open",
    summary: "Receive a message for a message source",
    description:
      "The webhook of a source of the kind webhook, with any JSON, sensor, with its readings, or whatsapp; signed by Standard Webhooks within five minutes, or by GitHub or Meta with X-Hub-Signature-256, with the source's secret. A repeated message counts once. Answers with the ids of the stored messages.",
    body: { description: "The service's own JSON, at most 1 MB", types: ["application/json"] },
    handle: handleRequest,
  }),
  defineNoHouseholdRoute({
    method: "get",
    path: "/hooks/sources/{household}/{source}",
    access: "open",
    summary: "Confirm the address of a message source to its service",
    description:
      "Meta checks the address of a source of the kind whatsapp by hub.mode, hub.verify_token and hub.challenge; the response is the challenge.",
    query: handshakeQuerySchema,
    produces: "text/plain",
    handle: answerHandshake,
  }),
];
