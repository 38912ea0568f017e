/**
 * A probe for every HTTP route: a call that names something, built once with the victim's names and once with names of
 * nothing. `isolation.test.ts` fails for a route that is neither here nor declared public.
 */
import { env } from "cloudflare:workers";
import { makeUploadPath } from "../../../src/auth/links/upload-links.ts";
import { makeDownloadPath } from "../../../src/auth/links/download-links.ts";
import {
  deriveWebhookSecret,
  signWebhook,
} from "../../../src/auth/callbacks/webhook-signatures.ts";
import { makeLink } from "../../../src/auth/links/links.ts";
import { makeShortCode } from "../../../src/auth/links/short-links.ts";
import { LINK_PERMISSIONS } from "../../../src/auth/principal.ts";
import {
  withJson,
  member,
  named,
  remove,
  post,
  browser,
  asOwnPage,
  form,
  upload,
  type Call,
  type Public,
  type RouteProbe,
} from "./probe.ts";
import { EXCHANGE_ROUTE_PROBES } from "./exchange-route-probes.ts";
import { GROUP_ROUTE_PROBES } from "./group-route-probes.ts";
import { SOURCE_ROUTE_PROBES } from "./source-route-probes.ts";
import { TREE_ROUTE_PROBES } from "./tree-route-probes.ts";
import type { Names, Twin } from "./twins.ts";

const STATIC_PAGE: Public = { public: "a static page; its script calls other routes" };
const MCP = { public: "its tools, resources and methods have probes of their own" };
const METADATA: Public = { public: "metadata of the deployment" };
const OPERATOR_ONLY: Public = {
  public: "only the operator's key is accepted, which is no household's",
};
const OAUTH_CLIENTS: Public = { public: "OAuth clients and codes, before a household is chosen" };

const CLAIM = { MESS: [{ status: { code: "claimed" } }] };
const FOLLOWUP = { MESS: [{ followup: { message: "let me in" } }] };

/** A callback signed with the secret of the attacker's own robot. */
async function buildSignedCallback(path: string, body: unknown, attacker: Twin): Promise<Call> {
  const secret = await deriveWebhookSecret(env.MESS_SECRET, attacker.home.id, "robo");
  const text = JSON.stringify(body);
  const bytes = new TextEncoder().encode(text);
  const headers = await signWebhook(secret, crypto.randomUUID(), Date.now(), bytes);
  return {
    path,
    init: {
      method: "POST",
      body: text,
      headers: { ...headers, "Content-Type": "application/json" },
    },
  };
}

/** A link of the attacker's household to a thread with the given name, which another household has. */
const makeOwnToken = ({ ref, jti }: Names, { home }: Twin): Promise<string> =>
  makeLink(env.MESS_SECRET, {
    household: home.id,
    ref,
    executor: "ann",
    permissions: LINK_PERMISSIONS,
    jti,
    expires: Math.floor(Date.now() / 1_000) + 3_600,
  });

const makeOwnCode = ({ ref }: Names, { home }: Twin): Promise<string> =>
  makeShortCode(env.MESS_SECRET, { household: home.id, ref, number: 1 });

const NO_CHANNEL = "the household has no such channel, so that every call is refused";

export const ROUTE_PROBES: Readonly<Record<string, RouteProbe>> = {
  "GET /": METADATA,
  "GET /healthz": METADATA,
  "GET /operator": STATIC_PAGE,
  "GET /openapi.json": METADATA,
  "GET /skill/SKILL.md": METADATA,
  "GET /skill/examples/:name": METADATA,
  "GET /skill/groups/SKILL.md": METADATA,
  "GET /skill/groups/examples/:name": METADATA,
  "GET /skill/messages/SKILL.md": METADATA,
  "GET /skill/messages/examples/:name": METADATA,

  "POST /mess": member((names) => ({
    path: `/mess?ref=${encodeURIComponent(names.ref)}`,
    init: withJson("POST", FOLLOWUP),
  })),
  "GET /mess": member(() => ({ path: "/mess?limit=200" })),
  "POST /mess/import": member(
    () => ({
      path: "/mess/import",
      init: { method: "POST", body: "from: x", headers: { "Content-Type": "application/yaml" } },
    }),
    { neverSucceeds: "the file is none; reading one back is tested below" },
  ),
  "GET /mess/export.zip": member("/mess/export.zip"),
  "GET /mess/:ref/archive.zip": member(named("/mess/{ref}/archive.zip")),
  "POST /mess/route": member(() => ({
    path: "/mess/route",
    init: withJson("POST", { MESS: [{ request: { intent: "look", requires: ["look"] } }] }),
  })),
  "GET /mess/:ref": member(named("/mess/{ref}")),
  "DELETE /mess/:ref": member(named("/mess/{ref}", remove)),
  "GET /mess/:ref/wait": member(named("/mess/{ref}/wait?timeout=0")),
  "GET /mess/:ref/messages/:message": member(named("/mess/{ref}/messages/{message}")),
  "GET /mess/:ref/context": member(named("/mess/{ref}/context")),
  "GET /mess/:ref/context/:thread/:name": member(named("/mess/{ref}/context/{ref}/{file}"), {
    neverSucceeds: "a thread does not refer to itself; the tests of references read such a file",
  }),
  "GET /mess/:ref/route": member(named("/mess/{ref}/route")),
  "POST /mess/:ref/attachments": member(
    named("/mess/{ref}/attachments", () => ({
      method: "POST",
      body: "bytes",
      headers: { "Content-Type": "application/octet-stream" },
    })),
  ),
  "GET /mess/:ref/attachments/:name": member(named("/mess/{ref}/attachments/{file}")),
  "DELETE /mess/:ref/attachments/:name": member(named("/mess/{ref}/attachments/{file}", remove)),
  "GET /files/:token": {
    caller: "none",
    build: async ({ ref, file }, { home }) => ({
      path: await makeDownloadPath(env.MESS_SECRET, {
        principal: { household: home.id, actor: "owner", role: "owner" },
        ref,
        file,
      }),
    }),
  },
  "GET /console": STATIC_PAGE,
  "GET /uploads/:token": STATIC_PAGE,
  "POST /uploads/:token": {
    caller: "none",
    build: async ({ upload: id }, { home }) => ({
      path: await makeUploadPath(env.MESS_SECRET, {
        principal: { household: home.id, actor: "owner", role: "owner" },
        upload: id,
      }),
      init: { method: "POST", body: "bytes" },
    }),
    neverSucceeds: "an upload of a thread has another kind of id; the tests of uploads send a file",
  },
  "POST /mess/:ref/uploads": member(
    named(
      "/mess/{ref}/uploads",
      post(() => ({ name: "a", size: 5 })),
    ),
  ),
  "GET /mess/:ref/uploads/:id": member(named("/mess/{ref}/uploads/{upload}")),
  "PATCH /mess/:ref/uploads/:id": member(named("/mess/{ref}/uploads/{upload}", upload), {
    neverSucceeds: "the part is too small, which is refused after the upload is found",
  }),
  "GET /mess/:ref/deliveries": member(named("/mess/{ref}/deliveries")),
  "POST /mess/:ref/deliveries/:id/redeliver": member(
    named("/mess/{ref}/deliveries/{delivery}/redeliver", () => ({ method: "POST" })),
  ),
  "POST /mess/:ref/links": member(
    named(
      "/mess/{ref}/links",
      post(() => ({ executor: "ann" })),
    ),
  ),
  "GET /mess/:ref/links": member(named("/mess/{ref}/links")),
  "DELETE /mess/:ref/links": member(named("/mess/{ref}/links", remove)),
  "DELETE /mess/:ref/links/:jti": member(named("/mess/{ref}/links/{jti}", remove)),
  "GET /thread/:ref": member(named("/thread/{ref}")),
  "POST /thread/:ref": member(
    named(
      "/thread/{ref}",
      post(() => FOLLOWUP),
    ),
  ),

  "GET /respond": STATIC_PAGE,
  "GET /r/:code": STATIC_PAGE,
  "GET /inbox": STATIC_PAGE,
  "POST /inbox/share": { public: "redirects to the inbox, without reading what was sent" },
  "POST /respond/form": browser(async (names, attacker) => ({
    path: "/respond/form",
    init: form({ code: await makeOwnCode(names, attacker), text: "hello" }),
  })),
  "POST /respond": browser(async (names, attacker) => ({
    path: `/respond?token=${await makeOwnToken(names, attacker)}`,
    init: form({ text: "hello" }),
  })),
  "POST /r/:code": browser(async (names, attacker) => ({
    path: `/r/${await makeOwnCode(names, attacker)}`,
    init: form({ text: "hello" }),
  })),
  "POST /respond/session": browser(async (names, attacker) => ({
    path: "/respond/session",
    init: withJson("POST", { code: await makeOwnCode(names, attacker) }),
  })),
  "DELETE /respond/session": browser((names) => ({
    path: `/respond/session?ref=${encodeURIComponent(names.ref)}`,
    init: asOwnPage({ method: "DELETE" }),
  })),
  "GET /respond/state": member(named("/respond/state?ref={ref}")),
  "GET /respond/live": member(
    named("/respond/live?ref={ref}", () => ({ headers: { Upgrade: "websocket" } })),
  ),
  "POST /respond/renew": browser(
    async (names, attacker) => ({
      path: "/respond/renew",
      init: withJson("POST", { token: await makeOwnToken(names, attacker) }),
    }),
    "the thread is finished, so that nobody gets a new link",
  ),
  "GET /inbox/threads": browser(() => ({ path: "/inbox/threads" })),
  "GET /api/v1/me": browser(() => ({ path: "/api/v1/me" })),
  "GET /inbox/live": browser(() => ({
    path: "/inbox/live",
    init: { headers: { Upgrade: "websocket", Origin: "https://mess.test" } },
  })),
  "GET /inbox/push-key": browser(() => ({ path: "/inbox/push-key" })),
  "POST /inbox/subscriptions": browser(
    () => ({
      path: "/inbox/subscriptions",
      init: asOwnPage(
        withJson("POST", {
          endpoint: "https://push.example.com/1",
          keys: { p256dh: "a", auth: "b" },
        }),
      ),
    }),
    "the subscription's keys are made up",
  ),
  "DELETE /inbox/subscriptions": browser(() => ({
    path: "/inbox/subscriptions",
    init: asOwnPage(withJson("DELETE", { endpoint: "https://push.example.com/1" })),
  })),

  "PUT /inbox/availability": browser(() => ({
    path: "/inbox/availability",
    init: asOwnPage(withJson("PUT", { state: "here" })),
  })),

  "POST /api/v1/households": OPERATOR_ONLY,
  "GET /api/v1/households": OPERATOR_ONLY,
  "GET /api/v1/households/:id": OPERATOR_ONLY,
  "PUT /api/v1/households/:id/suspension": OPERATOR_ONLY,
  "DELETE /api/v1/households/:id/suspension": OPERATOR_ONLY,
  "GET /api/v1/health": OPERATOR_ONLY,
  "POST /api/v1/households/:id/sign-in-links": OPERATOR_ONLY,
  "GET /api/v1/households/:id/limits": OPERATOR_ONLY,
  "PUT /api/v1/households/:id/limits": OPERATOR_ONLY,
  "GET /api/v1/secret-rotation": OPERATOR_ONLY,
  "POST /api/v1/secret-rotation": OPERATOR_ONLY,
  "GET /api/v1/household": member("/api/v1/household"),
  "GET /api/v1/keys": member("/api/v1/keys"),
  "POST /api/v1/keys": member(() => ({
    path: "/api/v1/keys",
    init: withJson("POST", { actor: "ben", role: "executor" }),
  })),
  "DELETE /api/v1/keys/:id": member(named("/api/v1/keys/{key}", remove)),
  "POST /api/v1/device-codes": { public: "a random code, before a household is chosen" },
  "POST /api/v1/device-tokens": {
    public: "takes a random secret, for which a person has chosen the household on a page",
  },
  "DELETE /api/v1/device-tokens": member(
    () => ({ path: "/api/v1/device-tokens", init: { method: "DELETE" } }),
    { neverSucceeds: "the key is an owner's, who revokes it; device.test.ts ends a program's" },
  ),
  "GET /api/v1/executors": member("/api/v1/executors"),
  "GET /api/v1/events": member("/api/v1/events"),
  "POST /api/v1/schedules": member(() => ({
    path: "/api/v1/schedules",
    init: withJson("POST", { id: "nightly", cron: "0 3 * * *", request: { intent: "look" } }),
  })),
  "GET /api/v1/schedules": member("/api/v1/schedules"),
  "GET /api/v1/schedules/:id": member(named("/api/v1/schedules/{schedule}")),
  "PATCH /api/v1/schedules/:id": member(
    named("/api/v1/schedules/{schedule}", () => withJson("PATCH", { paused: true })),
  ),
  "DELETE /api/v1/schedules/:id": member(named("/api/v1/schedules/{schedule}", remove)),
  "GET /api/v1/config": member("/api/v1/config"),
  "POST /api/v1/config": member(() => ({
    path: "/api/v1/config",
    init: withJson("POST", { config: { settings: { hint: "none" } } }),
  })),
  "PUT /api/v1/secrets/:name": member(() => ({
    path: "/api/v1/secrets/OWN_NAME",
    init: withJson("PUT", { value: "x".repeat(20) }),
  })),
  "GET /api/v1/secrets": member("/api/v1/secrets"),
  "DELETE /api/v1/secrets/:name": member(named("/api/v1/secrets/{secret}", remove)),
  "PUT /api/v1/presence": member(() => ({
    path: "/api/v1/presence",
    init: withJson("PUT", { state: "here" }),
  })),
  "GET /api/v1/presence": member("/api/v1/presence"),
  "POST /api/v1/sign-in-links": member(() => ({
    path: "/api/v1/sign-in-links",
    init: withJson("POST", { actor: "ann" }),
  })),
  "GET /api/v1/audit": member("/api/v1/audit"),
  "GET /api/v1/limits": member("/api/v1/limits"),
  "GET /api/v1/people": member("/api/v1/people"),
  "DELETE /api/v1/people/:actor": member(named("/api/v1/people/{person}", remove)),
  "GET /api/v1/grants": member("/api/v1/grants"),
  "DELETE /api/v1/grants/:id": member(named("/api/v1/grants/{grant}", remove)),
  "GET /api/v1/statistics": member("/api/v1/statistics"),
  "POST /api/v1/index/rebuild": member(() => ({
    path: "/api/v1/index/rebuild",
    init: { method: "POST" },
  })),
  "GET /api/v1/executors/:id/webhook-secret": member("/api/v1/executors/robo/webhook-secret"),
  "POST /api/v1/channels/telegram/register": member(
    () => ({
      path: "/api/v1/channels/telegram/register",
      init: withJson("POST", {}),
    }),
    { neverSucceeds: NO_CHANNEL },
  ),

  ...EXCHANGE_ROUTE_PROBES,
  ...GROUP_ROUTE_PROBES,
  ...SOURCE_ROUTE_PROBES,
  ...TREE_ROUTE_PROBES,

  // A callback to the attacker's own address that names the victim's thread. The other way round is in
  // `strangers.test.ts`: a household's address takes no credential of another.
  "POST /hooks/executor/:household/:executor": {
    caller: "none",
    build: (names, attacker) =>
      buildSignedCallback(
        `/hooks/executor/${attacker.home.id}/robo?ref=${encodeURIComponent(names.ref)}`,
        CLAIM,
        attacker,
      ),
    neverSucceeds: "Ann has claimed the thread",
  },
  "POST /hooks/slack/:household": {
    caller: "none",
    build: named(
      "/hooks/slack/{household}",
      post(() => ({ type: "url_verification" })),
    ),
    neverSucceeds: NO_CHANNEL,
    namesHousehold: true,
  },
  "POST /hooks/telegram/:household": {
    caller: "none",
    build: named(
      "/hooks/telegram/{household}",
      post(() => ({ update_id: 1 })),
    ),
    neverSucceeds: NO_CHANNEL,
    namesHousehold: true,
  },
  "POST /hooks/twilio/:household": {
    caller: "none",
    build: named("/hooks/twilio/{household}", () =>
      form({ MessageSid: "SM1", From: "+15005550101" }),
    ),
    neverSucceeds: NO_CHANNEL,
    namesHousehold: true,
  },

  "ALL /mcp": MCP,
  "ALL /mcp/groups": MCP,
  "ALL /mcp/messages": MCP,
  "ALL /mcp/all": MCP,
  "ALL /.well-known/oauth-protected-resource": METADATA,
  "ALL /.well-known/oauth-protected-resource/mcp": METADATA,
  "ALL /.well-known/oauth-protected-resource/mcp/groups": METADATA,
  "ALL /.well-known/oauth-protected-resource/mcp/messages": METADATA,
  "ALL /.well-known/oauth-protected-resource/mcp/all": METADATA,
  "ALL /.well-known/oauth-authorization-server": METADATA,
  "ALL /authorize": browser(
    () => ({ path: "/authorize" }),
    "the request names no client; consent.test.ts tests which households it offers",
  ),
  "ALL /sign-in": {
    ...browser(named("/sign-in?token={signIn}"), "the token is forged; sign-in.test.ts makes one"),
    namesHousehold: true,
  },
  "ALL /device": browser(
    () => ({ path: "/device", init: form({ code: "BCDF-GHJK" }) }),
    "it takes the form token of a page; device.test.ts reads one",
  ),
  "ALL /sign-in/chats": browser(
    (names) => ({ path: "/sign-in/chats", init: form({ household: names.household }) }),
    "it takes the form token of a page; owner-requests.test.ts reads one",
  ),
  "ALL /sign-in/passkey/options": {
    public: "a random challenge, before the browser has named a household",
  },
  "ALL /sign-in/passkey": {
    ...browser(
      (names) => ({
        path: "/sign-in/passkey",
        init: withJson("POST", {
          response: { id: "abc", response: { userHandle: names.household.padEnd(86, "_") } },
        }),
      }),
      "it takes a signature by an authenticator; passkeys.test.ts makes one",
    ),
    namesHousehold: true,
  },
  "ALL /passkeys/options": browser(
    () => ({ path: "/passkeys/options", init: withJson("POST", {}) }),
    "it takes the form token of a page; passkeys.test.ts reads one",
  ),
  "ALL /passkeys": browser(
    () => ({ path: "/passkeys", init: withJson("POST", { response: {} }) }),
    "it takes a signature by an authenticator; passkeys.test.ts makes one",
  ),
  "ALL /sign-out": browser(
    () => ({ path: "/sign-out", init: form({}) }),
    "it takes the form token of a page; sign-in.test.ts reads one",
  ),
  "ALL /oauth/token": OAUTH_CLIENTS,
  "ALL /oauth/register": OAUTH_CLIENTS,
};
