/** Streams the messages of an AI group as server-sent events. */
import { isStillLive } from "../../auth/live-credential.ts";
import type { GroupMessage } from "../../contracts/groups.ts";
import { watchGroup } from "../../exchange/group-calls/watch-group.ts";
import { takeWaitSlot } from "../../exchange/wait-slots.ts";
import { defined } from "../../mess/defined.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { HandlerPromise, HttpCall } from "../http/route.ts";
import { EVENT_STREAM_HEADERS, LiveStream } from "./live-stream.ts";

/** Messages that wait for a slow client, before its stream ends. It can reconnect and continue after its last event. */
const MAX_BACKLOG_EVENTS = 200;

const POSITION_PATTERN = /^\d{1,15}$/;

function readLastEventId(request: Request): Outcome<number | undefined> {
  const id = request.headers.get("Last-Event-ID");
  if (id === null || id === "") return ok(undefined);
  return POSITION_PATTERN.test(id)
    ? ok(Number(id))
    : refuse(
        "bad_parameter",
        "Last-Event-ID is not the id of an event",
        "Send the id of the last event that you received, or leave it out.",
        { path: "Last-Event-ID" },
      );
}

const buildEvent = (text: string): string => {
  const { seq } = JSON.parse(text) as Pick<GroupMessage, "seq">;
  return `id: ${seq}\nevent: message\ndata: ${text}\n\n`;
};

/** Streams the messages of the group that the caller may read. */
export async function streamGroupEvents({
  env,
  param,
  principal,
  request,
}: Pick<HttpCall, "env" | "param" | "principal" | "request">): HandlerPromise {
  const after = readLastEventId(request);
  if (!after.ok) return after;
  const slot = takeWaitSlot(env, principal);
  if (!slot.ok) return slot;
  const stream = new LiveStream(request.signal);
  stream.signal.addEventListener("abort", slot.value);
  const watched = await watchGroup(env, principal, param("group"), {
    ...defined({ after: after.value }),
    onMessage: (text) => {
      if (stream.events.backlog >= MAX_BACKLOG_EVENTS) stream.end();
      else stream.events.write(buildEvent(text));
    },
    onEnd: () => stream.events.close(),
    signal: stream.signal,
  }).catch((error: unknown) => {
    // Otherwise the slot would stay taken.
    stream.end();
    throw error;
  });
  if (!watched.ok) {
    stream.end();
    return watched;
  }
  stream.start(() => isStillLive(env, principal));
  return ok(new Response(stream.readable, { headers: EVENT_STREAM_HEADERS }));
}
