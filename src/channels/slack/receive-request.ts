/** Events and taps of Slack, signed with the signing secret of the app. */
import { decodeUtf8 } from "../../bytes.ts";
import type { ReadRequest } from "../inbound.ts";
import { readFormParameters, readJsonValue } from "../shared/request-body.ts";
import { slackConfig } from "./config.ts";
import { parseSlackEvent, parseSlackTap, type SlackEvent } from "./receive.ts";
import { isFromSlack } from "./verify.ts";

/** Slack's check of the address, which must be answered with the same text. */
export interface SlackChallenge {
  readonly challenge: string;
}

export const readSlackRequest: ReadRequest<SlackEvent | SlackChallenge | null> = async (
  stored,
  { headers, body },
  household,
  now,
) => {
  const settings = slackConfig.settings.safeParse(stored);
  const secret = settings.success ? settings.data.signing_secret : undefined;
  // An unknown household takes as long as a wrong signature.
  const isSigned = await isFromSlack(secret ?? crypto.randomUUID(), headers, body, now);
  if (secret === undefined || !isSigned) return undefined;
  const payload = readPayload(headers, body);
  if (isChallenge(payload)) return { event: { challenge: payload.challenge } };
  const event = parseSlackEvent(payload) ?? parseSlackTap(payload, household);
  if (!event) return { event: null };
  const { inbound, identities, files } = event;
  return { event, message: { ...inbound, identities, files } };
};

/** Events are JSON; taps are JSON in a form field. */
function readPayload(headers: Headers, body: Uint8Array): unknown {
  const form = readFormParameters(headers, body);
  return readJsonValue(form ? form.get("payload") : decodeUtf8(body));
}

const isChallenge = (payload: unknown): payload is SlackChallenge =>
  typeof payload === "object" &&
  payload !== null &&
  (payload as { type?: unknown }).type === "url_verification" &&
  typeof (payload as { challenge?: unknown }).challenge === "string";
