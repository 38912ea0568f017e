/** Creates one request from the fields that MESS clients send in JSON. */
import type { Principal } from "../../auth/principal.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { JsonMap } from "../../mess/json.ts";
import { fail, ok } from "../../mess/result.ts";
import type { Status } from "../../mess/status.ts";
import { parseValues } from "../../mess/wire/parse.ts";
import { postParsedMessages } from "../exchange.ts";
import { indexThread } from "../index-maintenance.ts";
import type { ExchangeBindings } from "../with-thread.ts";

export const CHANNEL = "api";

/** Fields of the response, which a client may send back. The exchange sets them. */
const ASSIGNED_FIELDS = [
  "ref",
  "status",
  "created",
  "created_at",
  "updated_at",
  "requestor_id",
  "executor_id",
];

/** The block, with the other spelling of its hint, and without fields that are null. */
function toRequestBlock({ response_hints, ...body }: JsonMap): JsonMap {
  const fields: JsonMap = {
    ...(response_hints === undefined ? {} : { response_hint: response_hints }),
    ...body,
  };
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([key, value]) => value !== null && !ASSIGNED_FIELDS.includes(key),
    ),
  );
}

/** @param key the call's `Idempotency-Key` */
export async function createRequest(
  env: ExchangeBindings,
  principal: Principal,
  body: JsonMap,
  key: string | undefined,
): Promise<Outcome<{ ref: string; status: Status; warnings?: string[] }>> {
  if (body["intent"] === undefined || body["intent"] === null)
    return refuse("missing_field", "intent: missing", 'Say what is to be done: {"intent": …}.', {
      path: "intent",
    });
  const parsed = parseValues([{ MESS: [{ request: toRequestBlock(body) }] }]);
  if (!parsed.ok) return parsed;
  const posted = await postParsedMessages(env, principal, parsed.value, {
    channel: CHANNEL,
    ...(key === undefined ? {} : { key }),
  });
  if (!posted.ok) return posted;
  const [entry] = posted.value.entries;
  if (entry && "error" in entry) return fail(entry.error);
  const ack = entry && "ack" in entry ? entry.ack : {};
  const { ref = "", warnings } = ack as { ref?: string; warnings?: string[] };
  const status = (await indexThread(env, principal.household, ref)) ?? "pending";
  return ok({ ref, status, ...(warnings ? { warnings } : {}) });
}
