/** Reads a signed request as one message. */
import { decodeUtf8 } from "../../bytes.ts";
import type { InboundRequest } from "../../channels/inbound.ts";
import { readJsonValue } from "../../channels/shared/request-body.ts";
import { defined } from "../../mess/defined.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { Json } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import type { KindContext, ParsedMessage } from "../source-kind.ts";
import type { WebhookSourceSettings } from "./config.ts";
import { summarizeGithubEvent } from "./github.ts";
import { type MappedMessage, mapMessage } from "./map-message.ts";
import { verifyRequest } from "./verify.ts";

/** Kept of a request, in this order. */
const KEPT_HEADERS = [
  "Content-Type",
  "User-Agent",
  "webhook-id",
  "webhook-timestamp",
  "X-GitHub-Event",
  "X-GitHub-Delivery",
];

/** A reply goes to the address in the settings, which may be secret. */
const CHANNEL = "webhook";

type Context = Omit<KindContext<unknown>, "settings"> & { settings: WebhookSourceSettings | null };

export async function receiveWebhook(
  context: Context,
  request: InboundRequest,
): Promise<Outcome<{ messages: ParsedMessage[] }> | undefined> {
  const { settings, source, now } = context;
  const id = await verifyRequest(settings, request, now);
  if (id === undefined || !settings) return undefined;
  const json = readJsonValue(decodeUtf8(request.body)) as Json | undefined;
  if (json === undefined)
    return refuse(
      "bad_shape",
      "the body is not JSON in UTF-8",
      "Send one JSON value, with Content-Type: application/json.",
    );
  const event = request.headers.get("X-GitHub-Event");
  const isGithub = settings.signature === "github" && event !== null;
  // GitHub's check of the address is no message.
  if (isGithub && event === "ping") return ok({ messages: [] });
  const mapped = mapMessage(settings, json, source, now);
  const shown =
    isGithub && settings.map === undefined
      ? summarizeGithubEvent(event.slice(0, 100), json, now)
      : mapped;
  return ok({ messages: [buildMessage(source, id, shown, request)] });
}

function buildMessage(
  source: string,
  id: string,
  { id: ownId, sender, subject, body, urgency, timestamp }: MappedMessage,
  { headers, body: bytes }: InboundRequest,
): ParsedMessage {
  return {
    external_id: ownId ?? id,
    sender,
    recipient: source,
    ...defined({ subject, urgency }),
    body,
    timestamp,
    headers: KEPT_HEADERS.flatMap((name): [string, string][] => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
    channel: CHANNEL,
    attachments: [],
    raw: { mime: "application/json", bytes },
  };
}
