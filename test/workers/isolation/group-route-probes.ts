/** The probes of the routes of AI groups, pools and reservations. */
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

const withIdempotencyKey = (init: RequestInit): RequestInit => ({
  ...init,
  headers: { ...(init.headers as Record<string, string>), "Idempotency-Key": "one" },
});

export const GROUP_ROUTE_PROBES: Readonly<Record<string, RouteProbe>> = {
  "POST /groups": member(() => ({
    path: "/groups",
    init: withJson("POST", { topic: "look around", my_name: "lead" }),
  })),
  "GET /groups": member("/groups"),
  "POST /groups/rejoin": member((names) => ({
    path: "/groups/rejoin",
    init: withJson("POST", { my_name: "lead", group_id: names.group }),
  })),
  "POST /groups/wipe": member((names) => ({
    path: "/groups/wipe",
    init: withJson("POST", { confirm: names.household }),
  })),
  "GET /groups/search": member((names) => ({
    path: `/groups/search?q=canary&group=${names.group}&member=${names.ops}`,
  })),
  "GET /groups/:group": member(named("/groups/{group}?as={ops}")),
  "POST /groups/:group/members": member(
    named(
      "/groups/{group}/members",
      post(() => ({ my_name: "newcomer" })),
    ),
  ),
  "POST /groups/:group/close": member(
    named(
      "/groups/{group}/close",
      post(({ ops }) => ({ as: ops })),
    ),
  ),
  "POST /groups/:group/handoff": member(
    named(
      "/groups/{group}/handoff",
      post(({ ops, worker }) => ({
        from_ops_id: ops,
        to_agent_id: worker,
        context_summary: "We look around.",
        verification_passed: true,
      })),
    ),
  ),
  "POST /groups/:group/messages": member(
    named(
      "/groups/{group}/messages",
      post(({ ops, worker }) => ({ as: ops, to_id: worker, content: "hello" })),
    ),
  ),
  "GET /groups/:group/messages": member(
    named("/groups/{group}/messages?as={ops}&with={worker}&peek=true"),
  ),
  "POST /groups/:group/read": member(
    named(
      "/groups/{group}/read",
      post(({ ops, worker }) => ({ as: ops, from: worker })),
    ),
  ),
  "GET /groups/:group/pending": member(named("/groups/{group}/pending?as={ops}")),
  "GET /groups/:group/wait": member(named("/groups/{group}/wait?as={ops}&cursor=0&timeout=0")),
  "POST /groups/:group/heartbeat": member(
    named(
      "/groups/{group}/heartbeat",
      post(({ ops }) => ({ as: ops })),
    ),
  ),
  "GET /groups/:group/events": member(named("/groups/{group}/events")),
  "POST /reservations": member(() => ({
    path: "/reservations",
    init: withJson("POST", { names: ["the oven"] }),
  })),
  "GET /reservations": member("/reservations"),
  "DELETE /reservations": member(() => ({ path: "/reservations?name=the+oven", init: remove() })),
  "POST /pools/:pool/agents": member(() => ({
    path: "/pools/agents/agents",
    init: withJson("POST", { name: "reserve" }),
  })),
  "GET /pools/:pool/agents": member("/pools/agents/agents"),
  "POST /pools/:pool/claims": member((names) => ({
    path: "/pools/agents/claims",
    init: withJson("POST", {
      ops_id: names.ops,
      agent_id: names.poolAgent,
      target_group_id: names.group,
      task: "look around",
    }),
  })),
  "DELETE /pools/:pool/agents/:agent": member(named("/pools/agents/agents/{poolAgent}", remove)),
  "GET /agents/:agent": member(named("/agents/{poolAgent}")),
  "GET /inbox/groups": browser(() => ({ path: "/inbox/groups" })),
  "GET /inbox/groups/:group": browser(named("/inbox/groups/{group}")),
  "GET /inbox/groups/:group/events": browser(named("/inbox/groups/{group}/events")),
  "POST /inbox/groups/:group/announcements": browser(
    ({ group }) => ({
      path: `/inbox/groups/${group}/announcements`,
      init: asOwnPage(withIdempotencyKey(withJson("POST", { text: "let me in" }))),
    }),
    "only owners write to all agents, and the browser's person is none",
  ),
};
