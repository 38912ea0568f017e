/** The probes of the routes of message sources. */
import {
  asOwnPage,
  browser,
  member,
  named,
  post,
  remove,
  type RouteProbe,
  withJson,
} from "./probe.ts";

const DRAFT = "/sources/{source}/drafts/{sourceDraft}";
const MESSAGE = "/sources/{source}/messages/{sourceMessage}";
const ONLY_OWNERS_READ = "only owners read messages, and the browser's person is none";

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
  "GET /message-policy": member("/message-policy"),
  "PUT /message-policy": member(() => ({
    path: "/message-policy",
    init: withJson("PUT", { policy: "Sort them." }),
  })),
  "GET /message-policy/versions": member("/message-policy/versions"),
  "POST /message-policy/dry-run": member(
    named(
      "/message-policy/dry-run",
      post(({ source }) => ({ policy: "Sort them.", source, limit: 1 })),
    ),
  ),
  "GET /message-rules": member("/message-rules"),
  "PUT /message-rules": member(() => ({
    path: "/message-rules",
    init: withJson("PUT", { rules: [{ sender: "nobody@elsewhere.test", tier: "DEFER" }] }),
  })),
  "POST /sources/:source/messages/:id/verdict": member(
    named(
      `${MESSAGE}/verdict`,
      post(() => ({ verdict: "TIER: DEFER\nREASON: It can wait." })),
    ),
  ),
  "POST /sources/:source/messages/:id/correct": member(
    named(
      `${MESSAGE}/correct`,
      post(() => ({ tier: "DECLINE" })),
    ),
  ),
  "GET /hooks/sources/:household/:source": {
    caller: "none",
    build: named("/hooks/sources/{household}/{source}?hub.mode=subscribe&hub.challenge=x"),
    neverSucceeds: "only the service has the token by which the address is confirmed",
    namesHousehold: true,
  },
  "POST /hooks/sources/:household/:source": {
    caller: "none",
    build: named(
      "/hooks/sources/{household}/{source}",
      post(() => ({})),
    ),
    neverSucceeds: "only the service has the secret of the signature",
    namesHousehold: true,
  },
  "POST /sources/:source/drafts": member(
    named(
      "/sources/{source}/drafts",
      post(({ sourceMessage }) => ({ message: sourceMessage, body: "an answer" })),
    ),
  ),
  "GET /sources/:source/drafts": member(named("/sources/{source}/drafts")),
  "GET /sources/:source/drafts/:id": member(named(DRAFT)),
  "PATCH /sources/:source/drafts/:id": member(
    named(DRAFT, () => withJson("PATCH", { body: "other words", revision: 1 })),
  ),
  "DELETE /sources/:source/drafts/:id": member(named(DRAFT, remove)),
  "POST /sources/:source/drafts/:id/request-approval": member(
    named(
      `${DRAFT}/request-approval`,
      post(() => ({})),
    ),
  ),
  "POST /inbox/drafts/:source/:id/approve": browser(
    ({ source, sourceDraft }) => ({
      path: `/inbox/drafts/${source}/${sourceDraft}/approve`,
      init: asOwnPage(withJson("POST", { digest: "0".repeat(64) })),
    }),
    "only owners approve, and the browser's person is none",
  ),
  "POST /inbox/drafts/:source/:id/undo": browser(
    ({ source, sourceDraft }) => ({
      path: `/inbox/drafts/${source}/${sourceDraft}/undo`,
      init: asOwnPage(withJson("POST", {})),
    }),
    "only owners take approvals back, and the browser's person is none",
  ),
  "GET /inbox/messages": browser(() => ({ path: "/inbox/messages" })),
  "GET /inbox/messages/list": browser(
    named("/inbox/messages/list?source={source}"),
    ONLY_OWNERS_READ,
  ),
  "GET /inbox/messages/search": browser(
    named("/inbox/messages/search?q=canary&source={source}"),
    ONLY_OWNERS_READ,
  ),
  "GET /inbox/messages/:source/:id": browser(
    named("/inbox/messages/{source}/{sourceMessage}"),
    ONLY_OWNERS_READ,
  ),
  "GET /inbox/drafts": browser(() => ({ path: "/inbox/drafts" }), ONLY_OWNERS_READ),
  "GET /messages/search": member(named("/messages/search?q=canary&source={source}")),
};
