/** The probes of the routes of message sources. */
import { member, named, post, remove, type RouteProbe } from "./probe.ts";

const MESSAGE = "/sources/{source}/messages/{sourceMessage}";

export const SOURCE_ROUTE_PROBES: Readonly<Record<string, RouteProbe>> = {
  "GET /sources": member("/sources"),
  "GET /sources/:source": member(named("/sources/{source}")),
  "GET /sources/:source/messages": member(named("/sources/{source}/messages?unclassified=false")),
  "GET /sources/:source/wait": member(
    named("/sources/{source}/wait?after={sourceMessage}&timeout=0"),
  ),
  "GET /sources/:source/messages/:id": member(named(MESSAGE)),
  "DELETE /sources/:source/messages/:id": member(named(MESSAGE, remove)),
  "POST /sources/:source/messages/:id/mark": member(
    named(
      `${MESSAGE}/mark`,
      post(() => ({ mark: "flag" })),
    ),
  ),
  "GET /sources/:source/messages/:id/raw": member(named(`${MESSAGE}/raw`)),
  "GET /sources/:source/messages/:id/attachments/:index": member(named(`${MESSAGE}/attachments/0`)),
  "GET /messages/search": member(named("/messages/search?q=canary&source={source}")),
};
