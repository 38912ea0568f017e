/** The probes of the message tree. */
import { member, named, type RouteProbe } from "./probe.ts";

const SOURCE = "/msg/{source}";
const MESSAGE = `${SOURCE}/{sourceMessage}`;
const DRAFT = `${SOURCE}/outbox/{sourceDraft}`;

const write = (template: string, method: string, body: string): RouteProbe =>
  member(named(template, () => ({ method, body, headers: { "Content-Type": "text/plain" } })));

/** The file takes the text by both methods. */
const writes = (route: string, template: string, body: string): Record<string, RouteProbe> => ({
  [`POST ${route}`]: write(template, "POST", body),
  [`PUT ${route}`]: write(template, "PUT", body),
});

const SECRET = `whsec_${btoa("o".repeat(32))}`;

export const TREE_ROUTE_PROBES: Readonly<Record<string, RouteProbe>> = {
  "GET /msg/": member("/msg/"),
  "GET /msg/sources": member("/msg/sources"),
  "GET /msg/ctl": member("/msg/ctl"),
  ...writes("/msg/ctl", "/msg/ctl", `register webhook probe secret=${SECRET}`),
  "GET /msg/notify": member("/msg/notify?timeout=0"),
  "GET /msg/:source/": member(named(`${SOURCE}/`)),
  "GET /msg/:source/status": member(named(`${SOURCE}/status`)),
  "GET /msg/:source/ctl": member(named(`${SOURCE}/ctl`)),
  ...writes("/msg/:source/ctl", `${SOURCE}/ctl`, "connect"),
  "GET /msg/:source/new": member(named(`${SOURCE}/new?after={sourceMessage}&timeout=0`)),
  "GET /msg/:source/outbox/": member(named(`${SOURCE}/outbox/`)),
  "GET /msg/:source/outbox/new": member(named(`${SOURCE}/outbox/new`)),
  ...writes(
    "/msg/:source/outbox/new",
    `${SOURCE}/outbox/new`,
    "To: ben@elsewhere.test\n\nA new mail.",
  ),
  "GET /msg/:source/outbox/:id/": member(named(`${DRAFT}/`)),
  "GET /msg/:source/outbox/:id/headers": member(named(`${DRAFT}/headers`)),
  ...writes("/msg/:source/outbox/:id/headers", `${DRAFT}/headers`, "Subject: other words"),
  "GET /msg/:source/outbox/:id/body": member(named(`${DRAFT}/body`)),
  ...writes("/msg/:source/outbox/:id/body", `${DRAFT}/body`, "other words"),
  "GET /msg/:source/outbox/:id/ctl": member(named(`${DRAFT}/ctl`)),
  ...writes("/msg/:source/outbox/:id/ctl", `${DRAFT}/ctl`, "send"),
  "GET /msg/:source/:id/": member(named(`${MESSAGE}/`)),
  "GET /msg/:source/:id/headers": member(named(`${MESSAGE}/headers`)),
  "GET /msg/:source/:id/body": member(named(`${MESSAGE}/body`)),
  "GET /msg/:source/:id/raw": member(named(`${MESSAGE}/raw`)),
  "GET /msg/:source/:id/status": member(named(`${MESSAGE}/status`)),
  "GET /msg/:source/:id/ctl": member(named(`${MESSAGE}/ctl`)),
  ...writes("/msg/:source/:id/ctl", `${MESSAGE}/ctl`, "flag"),
};
