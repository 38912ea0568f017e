/** `/groups/{group}/events`: the messages of an AI group as server-sent events. */
import { streamGroupEvents } from "../../../streams/group-events.ts";
import { defineMemberRoute, type HttpRoute } from "../../route.ts";

export const groupEventRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "get",
    path: "/groups/{group}/events",
    access: "member",
    summary: "A stream of the messages that the caller may read, for dashboards",
    description:
      "One event for each new message of the caller's channels; for owners, of all channels. The id of an event is the position of its message: a client that reconnects with Last-Event-ID misses nothing. Nothing is marked as read. A stream ends after 30 minutes.",
    produces: "text/event-stream",
    handle: streamGroupEvents,
  }),
];
