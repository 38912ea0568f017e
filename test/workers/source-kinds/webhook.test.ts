/** Webhook sources: signatures, replays, the mapping of JSON, events of GitHub, and refusals. */
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { signWebhookHeaders } from "../../support/sign-webhook.ts";
import { buildAddressHeader, createFreshHousehold, readRefusal, sendRequest } from "../support.ts";
import type { LocalSource } from "./local-source.ts";
import { createLocalSource } from "./local-sources.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const SECRET = `whsec_${btoa("a secret of thirty-two characters")}`;
const GITHUB_SECRET = "a secret that GitHub knows";

interface Post {
  id?: string;
  body?: string;
  secret?: string;
  /** Milliseconds since 1970. */
  at?: number;
  headers?: Record<string, string>;
}

function post(path: string, { id, body = "{}", secret = SECRET, at, headers }: Post = {}) {
  const webhookId = id ?? `msg_${crypto.randomUUID()}`;
  const time = new Date(at ?? Date.now());
  return sendRequest(path, {
    method: "POST",
    body,
    headers: {
      ...buildAddressHeader(),
      ...signWebhookHeaders(secret, webhookId, body, time),
      ...headers,
    },
  });
}

const hookOf = ({ home, name }: LocalSource): string => `/hooks/sources/${home.id}/${name}`;

async function createHook(settings: object = {}): Promise<LocalSource> {
  const source = await createLocalSource("webhook");
  source.provider.settings = { secret: SECRET, ...settings };
  return await source.connect();
}

describe("the signature of a webhook", () => {
  it("the answer to a signed request names the stored message", async () => {
    const source = await createHook();

    const response = await post(hookOf(source), { id: "one" });
    const repeated = await post(hookOf(source), { id: "one" });

    const { id } = await source.readOnly();
    expect(await response.json()).toEqual({ messages: [{ id }] });
    expect(await repeated.json()).toEqual({ messages: [{ id, repeated: true }] });
  });

  it.each<[string, Post]>([
    ["a wrong secret", { secret: `whsec_${btoa("another secret of 32 characters.")}` }],
    ["a time six minutes ago", { at: Date.now() - 360_000 }],
    ["a time six minutes ahead", { at: Date.now() + 360_000 }],
    ["no signature", { headers: { "webhook-signature": "" } }],
    ["another id than the signed one", { headers: { "webhook-id": "msg_other" } }],
    [
      "a signature of GitHub's kind",
      { headers: { "X-Hub-Signature-256": `sha256=${"0".repeat(64)}` } },
    ],
  ])("a request with %s is refused and not stored", async (_name, request) => {
    const source = await createHook();

    expect(await readRefusal(await post(hookOf(source), request))).toBe("401 unauthenticated");

    expect(await source.list()).toEqual([]);
    expect(await source.countBlobs()).toBe(0);
  });

  it("a request whose body was changed after it was signed is refused", async () => {
    const source = await createHook();
    const at = new Date();
    const headers = {
      "webhook-id": "one",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": new Webhook(SECRET).sign("one", at, '{"pay": 1}'),
    };

    const response = await sendRequest(hookOf(source), {
      method: "POST",
      body: '{"pay": 9}',
      headers: { ...buildAddressHeader(), ...headers },
    });

    expect(await readRefusal(response)).toBe("401 unauthenticated");
  });

  it("unknown households and sources, and sources of other kinds, are refused like a wrong signature", async () => {
    const mail = await createLocalSource("email");
    const home = await createFreshHousehold();
    const paths = [
      "/hooks/sources/nobody-lives-here/alerts",
      `/hooks/sources/${home.id}/alerts`,
      `/hooks/sources/${home.id}/Not-A-Name`,
      hookOf(mail),
    ];
    const source = await createHook();
    const wrong = await post(hookOf(source), {
      secret: `whsec_${btoa("of somebody else entirely.")}`,
    });
    const expected = await wrong.text();

    for (const path of paths) {
      const refused = await post(path);
      expect(refused.status).toBe(401);
      expect(await refused.text()).toBe(expected);
    }
  });

  it("a signature is computed for a source that does not exist, too", async () => {
    const home = await createFreshHousehold();
    const verify = vi.spyOn(crypto.subtle, "verify");

    await post(`/hooks/sources/${home.id}/alerts`);
    const unknown = verify.mock.calls.length;
    const source = await createHook();
    verify.mockClear();
    await post(hookOf(source), { secret: `whsec_${btoa("of somebody else entirely.")}` });

    expect(unknown).toBe(verify.mock.calls.length);
    expect(unknown).toBeGreaterThan(0);
    verify.mockRestore();
  });
});

describe("the body of a webhook", () => {
  it.each<[string, string, string]>([
    ["no JSON", "{", "400 bad_shape"],
    ["no UTF-8", "\xff", "400 bad_shape"],
    ["more than 1 MB", JSON.stringify("x".repeat(1024 * 1024)), "413 too_large"],
  ])("a signed request with %s is refused with a clear error", async (_name, body, expected) => {
    const source = await createHook();

    expect(await readRefusal(await post(hookOf(source), { body }))).toBe(expected);

    expect(await source.list()).toEqual([]);
  });

  it("the settings map JSON onto the message", async () => {
    const source = await createHook({
      map: {
        sender: "alert.labels.host",
        subject: "alert.title",
        body: "alert.values.0",
        urgency: "alert.severity",
        timestamp: "alert.at",
      },
    });
    const alert = {
      labels: { host: "nas" },
      title: "Disk\nfull",
      values: ["97 %"],
      severity: "critical",
      at: "2026-01-31T08:00:00Z",
    };

    await post(hookOf(source), { body: JSON.stringify({ alert }) });

    expect(await source.readOnly()).toMatchObject({
      sender: "nas",
      subject: "Disk full",
      body: "97 %",
      urgency: 3,
    });
    const { timestamp } = await source.readOnly();
    expect(Date.parse(timestamp)).toBe(Date.parse("2026-01-31T08:00:00Z"));
  });

  it("without a mapping the whole JSON is the body, with a subject from its usual keys", async () => {
    const source = await createHook({ sender: "Grafana" });
    const body = { title: "CPU high", value: 97, __proto__: null };

    await post(hookOf(source), { body: JSON.stringify(body) });

    const message = await source.readOnly();
    expect(message).toMatchObject({ sender: "Grafana", subject: "CPU high", urgency: 0 });
    expect(JSON.parse(message.body)).toEqual({ title: "CPU high", value: 97 });
  });

  it("paths that lead nowhere or into prototypes fall back to the defaults", async () => {
    const source = await createHook({
      map: {
        sender: "constructor.name",
        subject: "a.b",
        body: "__proto__.constructor",
        urgency: "level",
      },
    });

    await post(hookOf(source), { body: '{"level": "purple"}' });

    const message = await source.readOnly();
    expect(message).toMatchObject({ sender: source.name, urgency: 0 });
    expect(message).not.toHaveProperty("subject");
    expect(JSON.parse(message.body)).toEqual({ level: "purple" });
  });

  it("an id of the service counts a message once, whatever the id of the request", async () => {
    const source = await createHook({ map: { id: "event.id" } });
    const body = '{"event": {"id": 7}}';

    await post(hookOf(source), { body });
    await post(hookOf(source), { body });
    await post(hookOf(source), { body: '{"event": {"id": 8}}' });

    expect(await source.list()).toHaveLength(2);
  });
});

async function postGithub(
  path: string,
  event: string,
  payload: object,
  { secret = GITHUB_SECRET, delivery = "d-1" } = {},
): Promise<Response> {
  const body = JSON.stringify(payload);
  const encoder = new TextEncoder();
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), hmac, false, ["sign"]);
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(body)));
  const hex = Array.from(mac, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return await sendRequest(path, {
    method: "POST",
    body,
    headers: {
      ...buildAddressHeader(),
      "Content-Type": "application/json",
      "X-GitHub-Event": event,
      "X-GitHub-Delivery": delivery,
      "X-Hub-Signature-256": `sha256=${hex}`,
    },
  });
}

const createGithub = () => createHook({ secret: GITHUB_SECRET, signature: "github" });

const ISSUE = {
  action: "opened",
  repository: { full_name: "acme/pump" },
  sender: { login: "octocat" },
  issue: {
    number: 12,
    title: "It leaks",
    html_url: "https://github.com/acme/pump/issues/12",
    body: "Since Monday.",
  },
};

describe("events of GitHub", () => {
  it("an event is summarized with repository, action, title, number and link", async () => {
    const source = await createGithub();

    expect((await postGithub(hookOf(source), "issues", ISSUE)).status).toBe(200);

    const message = await source.readOnly();
    expect(message).toMatchObject({
      sender: "octocat",
      subject: "[acme/pump] issues opened: It leaks (#12)",
    });
    for (const part of [ISSUE.issue.html_url, "Since Monday.", "acme/pump"])
      expect(message.body).toContain(part);
  });

  it("a push is summarized with its commits", async () => {
    const source = await createGithub();
    const commits = [{ message: "Fix the leak\n\nLong text", author: { name: "Ann" } }];

    await postGithub(hookOf(source), "push", { ...ISSUE, issue: undefined, commits });

    expect((await source.readOnly()).body).toContain("- Fix the leak (Ann)");
  });

  it("an event that is sent again, also with another delivery id, is stored once", async () => {
    const source = await createGithub();

    await postGithub(hookOf(source), "issues", ISSUE);
    await postGithub(hookOf(source), "issues", ISSUE, { delivery: "d-2" });

    expect(await source.list()).toHaveLength(1);
  });

  it("an event with a wrong secret is refused, and the check of the address leaves no message", async () => {
    const source = await createGithub();

    const wrong = await postGithub(hookOf(source), "issues", ISSUE, { secret: "of nobody at all" });
    const ping = await postGithub(hookOf(source), "ping", { zen: "Keep it simple." });

    expect(await readRefusal(wrong)).toBe("401 unauthenticated");
    expect(await ping.json()).toEqual({ messages: [] });
    expect(await source.list()).toEqual([]);
  });
});

describe("settings of a webhook source", () => {
  it.each<[string, object, string]>([
    ["a guessable secret", { secret: "hunter2", signature: "github" }, "secret"],
    ["a secret of another kind", { secret: "a sentence, and not base64!" }, "secret"],
    [
      "GitHub's secret alone for sending",
      { secret: GITHUB_SECRET, signature: "github", url: "https://hooks.example.com/in" },
      "send_secret",
    ],
    ["an address in the local network", { secret: SECRET, url: "http://192.168.0.1/in" }, "url"],
    ["a path that is no path", { secret: SECRET, map: { sender: "a..b" } }, "map.sender"],
    ["a field that messages do not have", { secret: SECRET, map: { color: "a.b" } }, "map"],
  ])("settings with %s are refused", async (_name, settings, path) => {
    const source = await createLocalSource("webhook");

    const response = await source.configure(settings);

    const text = await response.text();
    expect(response.status).toBe(400);
    expect(text).toContain(`config.sources.${source.name}.${path}`);
    expect(text).not.toContain("hunter2");
  });
});
