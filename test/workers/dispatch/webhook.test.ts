import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { deriveWebhookSecret } from "../../../src/auth/callbacks/webhook-signatures.ts";
import { webhook } from "../../../src/channels/webhook/send.ts";
import { MOST_SENT } from "../../../src/channels/webhook/body.ts";
import type { Notice } from "../../../src/channels/channel.ts";
import { readDocuments } from "../../../src/mess/wire/read-yaml.ts";
import { type Robot, robot } from "../../support/robot.ts";
import { connectHost, notice, REF, sender } from "./machine-hosts.ts";

const HOOK = "https://moppy.example.com/hook";
let moppy: Robot;

beforeEach(async () => {
  moppy = robot({ secret: await deriveWebhookSecret(env.MESS_SECRET, "home", "moppy") });
  connectHost("moppy.example.com", moppy.handle);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const send = (change: Partial<Notice> = {}, body?: "json" | "yaml") =>
  webhook.send(sender(), body === undefined ? HOOK : { url: HOOK, body }, notice(change));

describe("a webhook", () => {
  it("is signed, and holds the thread as a file with the callback beside it", async () => {
    expect(await send()).toEqual({ ok: true });

    const [hook] = moppy.hooks;
    expect(moppy.forged).toEqual([]);
    expect(hook).toMatchObject({
      id: "notice-1",
      event: "task.offered",
      ref: REF,
      type: "application/yaml",
      body: await notice().file(),
      callback: { url: "https://mess.test/hooks/executor/home/moppy", token: "a.callback.token" },
    });
    expect(hook?.headers.get("mess-thread")).toBe(`https://mess.test/mess/${REF}`);
  });

  it("is one event in JSON where that is wanted", async () => {
    await send({ kind: "news", news: "the answer: kitchen", mine: true }, "json");

    const [hook] = moppy.hooks;
    expect(hook?.json).toEqual({
      type: "task.news",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      data: {
        ref: REF,
        executor: "moppy",
        intent: "mop up the rice",
        priority: "normal",
        status: "pending",
        requestor: "scout",
        holder: null,
        mine: true,
        actions: ["claimed", "completed", "declined", "response"],
        news: "the answer: kitchen",
        context: ["by the stove"],
        request: { intent: "mop up the rice", context: ["by the stove"] },
        callback: notice().callback,
        thread: `https://mess.test/mess/${REF}`,
      },
    });
  });

  it("has its own secret's signature where it has one, and the same id at every attempt", async () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const other = robot({ secret });
    const address = { url: `${connectHost("other.example.com", other.handle)}/hook`, secret };
    other.script.push("broken");

    const first = await webhook.send(sender(), address, notice());
    const second = await webhook.send(sender({ now: Date.now() + 5_000 }), address, notice());

    expect([first.ok, second.ok]).toEqual([false, true]);
    expect(other.forged).toEqual([]);
    expect(other.hooks.map(({ id }) => id)).toEqual(["notice-1", "notice-1"]);
  });

  it.each(["offer", "reminder", "news", "update", "alert"] as const)(
    "tells of %s by name",
    async (kind) => {
      await send({ kind });

      expect(moppy.hooks[0]?.event).toBe(
        {
          offer: "task.offered",
          reminder: "task.reminder",
          news: "task.news",
          update: "task.updated",
          alert: "task.alert",
        }[kind],
      );
    },
  );
});

describe("a body that would be too long", () => {
  const long = "rice ".repeat(10_000);
  const hostile = "\u0007\u{1f35a}".repeat(3_000);

  it("is cut to the envelope and the request", async () => {
    const request = `from: scout\nMESS:\n  - request:\n      intent: mop\n`;
    const talk = `from: scout\nMESS:\n  - followup:\n      message: ${long}\n`;

    await send({ file: async () => [`ref: ${REF}\n`, request, talk].join("---\n") });

    const [hook] = moppy.hooks;
    expect(hook?.body).toBe(`ref: ${REF}\n---\n${request.trimEnd()}`);
    expect(hook?.headers.get("mess-cut")).toBe("true");
  });

  it.each(["yaml", "json"] as const)(
    "stays under its bound whatever the request holds, in %s",
    async (body) => {
      const request = {
        intent: hostile,
        context: [hostile],
        ...Object.fromEntries(
          Array.from({ length: 200 }, (_, index) => [
            `${hostile.slice(0, 60)}${index}`,
            hostile.slice(0, 90),
          ]),
        ),
        id: "rice",
      };

      await send(
        {
          intent: hostile,
          holder: hostile,
          news: hostile,
          context: [hostile],
          request,
          file: async () => `ref: ${REF}\n---\nMESS: [{request: {intent: "${long}"}}]\n`,
        },
        body,
      );

      const [hook] = moppy.hooks;
      expect(new TextEncoder().encode(hook?.body).byteLength).toBeLessThan(MOST_SENT);
      expect(hook?.headers.get("mess-cut")).toBe("true");
      expect(hook?.headers.get("mess-thread")).toBe(`https://mess.test/mess/${REF}`);
      if (body === "json") expect(hook?.json.data).toMatchObject({ ref: REF, cut: true });
      else expect(readDocuments(hook?.body ?? "").ok).toBe(true);
    },
  );
});

describe("an answer", () => {
  it.each([
    ["ok", { ok: true }],
    ["gone", { ok: false, reason: "the webhook answered 410", gone: true }],
    ["busy", { ok: false, reason: "the webhook answered 429", retry_after: 7 }],
    ["broken", { ok: false, reason: "the webhook answered 500" }],
    ["crash", { ok: false, reason: "the connection failed" }],
    ["garbage", { ok: true }],
    ["huge", { ok: true, note: "its answer is too long to be read" }],
  ] as const)("of %s is %j", async (answer, sent) => {
    moppy.script.push(answer);

    expect(await send()).toEqual(sent);
  });

  it("that redirects is a failure, and nobody goes there", async () => {
    moppy.script.push("redirect");

    expect(await send()).toMatchObject({ ok: false });
    expect(moppy.hooks).toHaveLength(1);
  });

  it("may name a date to come back at", async () => {
    const date = new Date(Date.now() + 90_000).toUTCString();
    moppy.script.push(() => new Response(null, { status: 503, headers: { "Retry-After": date } }));

    const sent = await send();

    expect(sent.ok ? 0 : sent.retry_after).toBeGreaterThan(80);
    expect(sent.ok ? 0 : sent.retry_after).toBeLessThanOrEqual(91);
  });

  it("never comes from who cannot be reached", async () => {
    const sent = await webhook.send(sender(), "https://nobody.example.com/hook", notice());

    expect(sent).toEqual({ ok: false, reason: "the connection failed" });
  });

  const answering = (text: string, type = "application/yaml") => {
    moppy.script.push(() => new Response(text, { headers: { "Content-Type": type } }));
    return send();
  };

  it.each([
    ["YAML", "MESS:\n- status: {code: claimed}\n", "application/yaml; charset=utf-8"],
    ["JSON", '{"MESS": [{"response": {"content": ["done"]}}]}', "application/json"],
    ["the thread's ref", `MESS: [{status: {re: ${REF}, code: in_progress}}]`, "text/yaml"],
  ])("that is a message is said in the robot's name: %s", async (_what, text, type) => {
    expect(await answering(text, type)).toEqual({ ok: true, said: text });
  });

  it.each([
    ["words", "OK", "text/plain"],
    ["a page", "<h1>ok</h1>", "text/html"],
    ["JSON of its own", '{"status": "completed"}', "application/json"],
    ["YAML of its own", "taken: true", "application/yaml"],
    ["nothing", "", "application/json"],
  ])("that is no message is taken as it is: %s", async (_what, text, type) => {
    expect(await answering(text, type)).toEqual({ ok: true });
  });

  it.each([
    [
      "of another thread",
      "MESS: [{status: {re: 2031-05-04-002, code: claimed}}]",
      "its answer speaks of another thread",
    ],
    ["a request", "MESS: [{request: {intent: oil me}}]", "its answer speaks of another thread"],
    [
      "a cancel",
      "MESS: [{cancel: {reason: no}}]",
      "its answer holds more than status and response",
    ],
    ["no status", "MESS: [{status: {code: flying}}]", "its answer is no message: bad_field"],
  ])("that is a message, but not for here, is noted: %s", async (_what, text, note) => {
    expect(await answering(text)).toEqual({ ok: true, note });
  });
});

it("cuts nothing that fits", async () => {
  await send();

  expect(parse(moppy.hooks[0]?.body.split("---\n")[0] ?? "")).toMatchObject({ ref: REF });
  expect(moppy.hooks[0]?.headers.get("mess-cut")).toBeNull();
});
