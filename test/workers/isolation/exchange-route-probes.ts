/** Probes for the API of MESS clients, whose paths name the exchange: the victim's, or the caller's with its things. */
import { type Call, member, named, post, type RouteProbe, withJson } from "./probe.ts";
import type { Names, Twin } from "./twins.ts";

const EXCHANGE = "/api/v1/exchanges/:exchange";

/** A call to the caller's own exchange that names something. */
const own =
  (template: string, init?: RequestInit) =>
  (names: Names, { home }: Twin): Call => {
    const { path } = named(template)(names);
    return { path: `/api/v1/exchanges/${home.id}${path}`, ...(init ? { init } : {}) };
  };

export const EXCHANGE_ROUTE_PROBES: Readonly<Record<string, RouteProbe>> = {
  "GET /api/v1/hooks/secret": member("/api/v1/hooks/secret"),
  "GET /health": { public: "metadata of the deployment" },
  [`GET ${EXCHANGE}/health`]: { public: "any well-formed id gets the same response" },
  [`ALL ${EXCHANGE}/*`]: { public: "it authenticates the caller, and serves nothing" },
  [`POST ${EXCHANGE}/register`]: {
    caller: "none",
    build: named(
      "/api/v1/exchanges/{household}/register",
      post(() => ({ executor_id: "spy" })),
    ),
    namesHousehold: true,
    neverSucceeds: "registration is closed by default; the tests of the API open it",
  },
  [`GET ${EXCHANGE}/requests`]: member(named("/api/v1/exchanges/{household}/requests")),
  [`POST ${EXCHANGE}/requests`]: member(
    named(
      "/api/v1/exchanges/{household}/requests",
      post(() => ({ intent: "look around" })),
    ),
  ),
  [`GET ${EXCHANGE}/executors`]: member(named("/api/v1/exchanges/{household}/executors")),
  [`GET ${EXCHANGE}/capabilities`]: member(named("/api/v1/exchanges/{household}/capabilities")),
  [`POST ${EXCHANGE}/import`]: member(
    named("/api/v1/exchanges/{household}/import", () => withJson("POST", { content: "from: x" })),
    { neverSucceeds: "the file is none; the tests of the API import one" },
  ),
  [`PATCH ${EXCHANGE}/executors/:id`]: member(
    own("/executors/ann", withJson("PATCH", { preferences: { min_priority: "normal" } })),
  ),
  [`GET ${EXCHANGE}/requests/:ref`]: member(own("/requests/{ref}")),
  [`PATCH ${EXCHANGE}/requests/:ref`]: member(
    own("/requests/{ref}", withJson("PATCH", { message: "hello" })),
  ),
  [`GET ${EXCHANGE}/requests/:ref/attachments/:name`]: member(
    own("/requests/{ref}/attachments/{file}"),
  ),
  [`GET ${EXCHANGE}/export/:ref`]: member(own("/export/{ref}")),
};
