/**
 * Asks the client's user the open questions of a thread by forms, in place of a result. A client of 2026-07-28 gets
 * input requests and repeats its call with the answers; for a client of the 2025 revisions the SDK sends the forms
 * while the call is open, and then runs the tool again. Only accepted forms are posted.
 */
import {
  inputRequired,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { isStillLive } from "../../../auth/live-credential.ts";
import type { Principal } from "../../../auth/principal.ts";
import { refuseUnauthenticated } from "../../../auth/unauthenticated.ts";
import { readThread, sendMessages } from "../../../exchange/exchange.ts";
import { isMap } from "../../../mess/json.ts";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { ok } from "../../../mess/result.ts";
import type { ResourceView } from "../../../contracts/thread-views.ts";
import { findMember, hasSeveral } from "../caller.ts";
import { buildForms } from "../results/elicitation-forms.ts";
import type { ClientSession } from "../sessions/client-session.ts";
import { readCapabilities } from "../tasks/protocol.ts";
import { readReplies } from "../tasks/read-replies.ts";
import { canReply, listOthersMessages } from "../text/describe-thread.ts";
import type { ToolContext } from "../tool.ts";
import { hasAnswerBlock, waitForAnswer, type WaitOptions } from "./wait-for-answer.ts";

/** Whether the client shows forms to its user: `{}` means forms, too. */
export function hasForms(mcp: ServerContext, session: ClientSession | undefined): boolean {
  if (!mcp.mcpReq.envelope) return session?.capabilities.elicitation !== undefined;
  const { elicitation } = readCapabilities(mcp);
  return isMap(elicitation) && ("form" in elicitation || !("url" in elicitation));
}

/**
 * The position of a call that waits for its user. The client could change it: it names only what the caller may read
 * anyway, and answers are checked against the questions that are open then (decision 154).
 */
const stateSchema = z.object({
  ref: boundedTextSchema(LIMITS.targetChars).min(1),
  exchange: boundedTextSchema(LIMITS.nameChars).optional(),
  /** Position of the questions, and of the call that met them. */
  cursor: z.int().min(0),
  since: z.int().min(0).optional(),
  /** When the wait ends, in milliseconds since 1970, where one call of the client contains all rounds. */
  until: z.number().optional(),
});

const ASKING_STATUSES = ["needs_input", "needs_confirmation"];

/**
 * Whether the messages contain a question, so that it is new to the caller, and nothing that a form cannot show: an
 * answer or followup, and with it a photo.
 */
const isNewQuestion = (view: ResourceView, viewer: Principal): boolean =>
  !hasAnswerBlock(view, viewer) &&
  listOthersMessages(view, viewer).some(({ MESS }) =>
    MESS.some(
      ({ status }) => isMap(status) && ASKING_STATUSES.some((code) => code === status["code"]),
    ),
  );

/** Asks what the thread waits for; undefined if it waits for nothing, or the client can only get it as a result. */
export function askUser(
  { caller, showsForms, mcp }: ToolContext,
  principal: Principal,
  view: ResourceView,
  {
    since,
    until,
    warnings = [],
  }: { since?: number | undefined; until: number; warnings?: readonly string[] | undefined },
): InputRequiredResult | undefined {
  const { envelope, cursor } = view;
  const isAsking = ASKING_STATUSES.includes(envelope.status);
  if (!showsForms || !isAsking || !canReply(envelope, principal)) return undefined;
  if (!isNewQuestion(view, principal)) return undefined;
  const inputRequests = buildForms(view, warnings);
  if (Object.keys(inputRequests).length === 0) return undefined;
  const exchange = hasSeveral(caller) ? { exchange: principal.household } : {};
  const isOneCall = !mcp.mcpReq.envelope;
  const position = { ref: envelope.ref, ...exchange, cursor, since };
  const requestState = JSON.stringify(isOneCall ? { ...position, until } : position);
  return inputRequired({ inputRequests, requestState });
}

export interface ResumedCall {
  principal: Principal;
  ref: string;
  /** Where to continue: after the questions, or before them if they are returned as the result. */
  cursor: number | undefined;
  /** When the wait ends; undefined if it begins with this call. */
  until: number | undefined;
  /** The user closed the forms. */
  isClosed: boolean;
}

/** Posts the accepted answers of a call that is repeated with them; undefined for a first call. */
export async function resumeCall({
  env,
  caller,
  mcp: { mcpReq },
}: ToolContext): Promise<Outcome<ResumedCall | undefined>> {
  const { inputResponses } = mcpReq;
  if (inputResponses === undefined) return ok(undefined);
  const state = stateSchema.safeParse(parseState(mcpReq.requestState()));
  if (!state.success)
    return refuse(
      "bad_parameter",
      "requestState is missing or was changed",
      "Send the requestState that came with the questions.",
    );
  const { ref, exchange, cursor, since, until } = state.data;
  const member = findMember(caller, exchange);
  if (!member.ok) return member;
  const principal = member.value;
  // The form may have been open for long, and only the caller's first household ends it with the credential.
  if (!(await isStillLive(env, principal))) return refuseUnauthenticated();
  const view = await readThread(env, principal, ref);
  if (!view.ok) return view;
  const accepted = Object.fromEntries(
    Object.entries(inputResponses).filter(
      ([, given]) => isMap(given) && given["action"] === "accept",
    ),
  );
  const replies = readReplies(view.value, accepted);
  if (!replies.ok) return replies;
  for (const { key, body } of replies.value) {
    const messages = [{ re: ref, blocks: [{ type: "reply" as const, body }] }];
    const posted = await sendMessages(env, principal, {
      messages,
      channel: "mcp",
      key: `form ${key}`,
    });
    if (!posted.ok) return posted;
  }
  const isClosed = Object.keys(accepted).length === 0;
  return ok({ principal, ref, cursor: isClosed ? since : cursor, until, isClosed });
}

/**
 * Waits for the thread, and then asks the user if it has a question; `resumed` is set after the user answered.
 * @param warnings of the request's ack, which the first form shows
 */
export async function waitOrAsk(
  call: ToolContext,
  principal: Principal,
  target: string,
  { warnings, ...options }: WaitOptions & { warnings?: readonly string[] },
  resumed?: ResumedCall,
): Promise<Outcome<{ view: ResourceView } | { asked: InputRequiredResult }>> {
  const { env, mcp, log } = call;
  const until = getEnd(options.seconds, resumed);
  const seconds = Math.max(0, (until - Date.now()) / 1_000);
  const view = await waitForAnswer(env, principal, target, { ...options, seconds }, mcp, log);
  if (!view.ok) return view;
  const asked =
    resumed?.isClosed || options.seconds === 0
      ? undefined
      : askUser(call, principal, view.value, { since: options.cursor, until, warnings });
  return ok(asked ? { asked } : { view: view.value });
}

/** When a wait of so many seconds ends, in milliseconds since 1970. */
export const getEnd = (seconds: number, resumed: ResumedCall | undefined): number => {
  const end = Date.now() + seconds * 1_000;
  return resumed?.isClosed ? Date.now() : Math.min(end, resumed?.until ?? end);
};

function parseState(state: unknown): unknown {
  if (typeof state !== "string" || state.length > LIMITS.textBytes) return undefined;
  try {
    return JSON.parse(state);
  } catch {
    return undefined;
  }
}
