/** Sends a status, blocks and a text to a request as one message, as MESS clients write them in JSON. */
import type { Principal } from "../../auth/principal.ts";
import type { Envelope } from "../../mess/envelope.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { splitTarget } from "../../mess/refs.ts";
import { fail, ok } from "../../mess/result.ts";
import { isFinal, readStatus, type Status, STATUSES } from "../../mess/status.ts";
import { parseValues } from "../../mess/wire/parse.ts";
import { postParsedMessages, readThread } from "../exchange.ts";
import { indexThread } from "../index-maintenance.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { CHANNEL } from "./create-request.ts";

export interface RequestUpdate {
  /** In any spelling. */
  status?: string | undefined;
  /** Blocks such as `{response: {content: […]}}`. */
  mess?: Json[] | JsonMap | undefined;
  message?: string | undefined;
}

export async function updateRequest(
  env: ExchangeBindings,
  principal: Principal,
  target: string,
  update: RequestUpdate,
): Promise<Outcome<{ ref: string; status: Status }>> {
  const thread = await readThread(env, principal, target, Number.MAX_SAFE_INTEGER);
  if (!thread.ok) return thread;
  const { envelope } = thread.value;
  const { ref } = envelope;
  const blocks = buildBlocks(principal, envelope, update);
  if (!blocks.ok) return blocks;
  if (blocks.value.length === 0) return ok({ ref, status: envelope.status });
  const parsed = parseValues([{ MESS: blocks.value }], { target: ref });
  if (!parsed.ok) return parsed;
  const names = [ref, target, envelope.client_id];
  const isElsewhere = parsed.value.some(
    ({ re }) => re === undefined || !names.includes(splitTarget(re).thread),
  );
  if (isElsewhere)
    return refuse(
      "bad_field",
      "mess: a block is not about this request",
      "Send blocks about this request only, without re or with its ref.",
      { path: "mess" },
    );
  const posted = await postParsedMessages(env, principal, parsed.value, { channel: CHANNEL });
  if (!posted.ok) return posted;
  const refused = posted.value.entries.find((entry) => "error" in entry);
  if (refused) return fail(refused.error);
  return ok({ ref, status: (await indexThread(env, principal.household, ref)) ?? envelope.status });
}

function buildBlocks(
  principal: Principal,
  envelope: Envelope,
  { status: written, mess = [], message }: RequestUpdate,
): Outcome<Json[]> {
  const given = isMap(mess) ? [mess] : mess;
  const status = written === undefined ? undefined : readStatus(written);
  if (written !== undefined && status === undefined)
    return refuse("bad_field", "status: unknown status", `Write one of ${STATUSES.join(", ")}.`, {
      path: "status",
      valid: STATUSES,
    });
  if (status === undefined) {
    if (message !== undefined) return ok([...given, { followup: { message } }]);
    return given.length > 0
      ? ok(given)
      : refuse("missing_field", "nothing to change", "Send status, mess or message.", {
          path: "status",
        });
  }
  // A repeated call of a client that lost the response.
  if (status === envelope.status && isFinal(status) && takesPart(principal, envelope))
    return ok(given);
  const block = buildStatusBlock(principal, envelope, status, message);
  // The answer comes before the end; a claim before the answer.
  return ok(isFinal(status) ? [...given, block] : [block, ...given]);
}

const takesPart = ({ actor, role }: Principal, { requestor, executor }: Envelope): boolean =>
  role === "owner" || actor === requestor || actor === executor;

/** `cancelled` by the requestor's side is a cancel; by an executor, the state machine reads it as a decline. */
function buildStatusBlock(
  { actor, role }: Principal,
  { requestor }: Envelope,
  status: Status,
  message: string | undefined,
): JsonMap {
  if (status === "cancelled" && (role === "owner" || actor === requestor))
    return { cancel: message === undefined ? {} : { reason: message } };
  const text: JsonMap = message === undefined ? {} : { message };
  if (status === "needs_input" && message !== undefined)
    return { status: { code: status, questions: [message] } };
  if (status === "needs_confirmation" && message !== undefined)
    return { status: { code: status, action: message } };
  return { status: { code: status, ...text } };
}
