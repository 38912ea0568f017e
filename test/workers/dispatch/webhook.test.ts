import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { deriveWebhookSecret } from "../../../src/auth/callbacks/webhook-signatures.ts";
import { webhook } from "../../../src/channels/webhook/send.ts";
import { MAX_BODY_BYTES } from "../../../src/channels/webhook/body.ts";
import type { Notice } from "../../../src/channels/channel.ts";
import { readDocuments } from "../../../src/mess/wire/syntax/read-yaml.ts";
import { expectNaming } from "../../support/naming.ts";
import { type Robot, createRobot } from "../../support/channels/robot.ts";
import { connectHost, buildMachineNotice, REF, createSender } from "./machine-hosts.ts";

const HOOK = "https://moppy.example.com/hook";
let moppy: Robot;

beforeEach(async () => {
  moppy = createRobot({ secret: await deriveWebhookSecret(env.MESS_SECRET, "home", "moppy") });
  connectHost("moppy.example.com", moppy.handle);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const send = (change: Partial<Notice> = {}, body?: "json" | "yaml") =>
  webhook.send(
    createSender(),
    body === undefined ? HOOK : { url: HOOK, body },
    buildMachineNotice(change),
  );

describe("a webhook", () => {
  it("a webhook call is signed, and has the thread as a file in its body and the callback in its headers", async () => {
    expect(await send()).toEqual({ ok: true });

    const [hook] = moppy.hooks;
    expect(moppy.forged).toEqual([]);
    expect(hook).toMatchObject({
      id: "notice-1",
      event: "task.offered",
      ref: REF,
      type: "application/yaml",
      body: await buildMachineNotice().buildFile(),
      callback: { url: "https://mess.test/hooks/executor/home/moppy", token: "a.callback.token" },
    });
    expect(hook?.headers.get("mess-thread")).toBe(`https://mess.test/mess/${REF}`);
  });

  it("a webhook call has one event in JSON as its body if its address asks for that", async () => {
    await send({ kind: "news", eventText: "the answer: kitchen", isHolder: true }, "json");

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
        callback: buildMachineNotice().callback,
        thread: `https://mess.test/mess/${REF}`,
      },
    });
  });

  it("a webhook call is signed with the address's own secret, and has the same id at every attempt", async () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const other = createRobot({ secret });
    const address = { url: `${connectHost("other.example.com", other.handle)}/hook`, secret };
    other.script.push("broken");

    const first = await webhook.send(createSender(), address, buildMachineNotice());
    const second = await webhook.send(
      createSender({ now: Date.now() + 5_000 }),
      address,
      buildMachineNotice(),
    );

    expect([first.ok, second.ok]).toEqual([false, true]);
    expect(other.forged).toEqual([]);
    expect(other.hooks.map(({ id }) => id)).toEqual(["notice-1", "notice-1"]);
  });

  it.each(["offer", "reminder", "news", "update", "alert"] as const)(
    "a webhook call has the event's name: %s",
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

  it("a webhook body that is too long is cut to the envelope and the request", async () => {
    const request = `from: scout\nMESS:\n  - request:\n      intent: mop\n`;
    const talk = `from: scout\nMESS:\n  - followup:\n      message: ${long}\n`;

    await send({ buildFile: async () => [`ref: ${REF}\n`, request, talk].join("---\n") });

    const [hook] = moppy.hooks;
    expect(hook?.body).toBe(`ref: ${REF}\n---\n${request.trimEnd()}`);
    expect(hook?.headers.get("mess-cut")).toBe("true");
  });

  it.each(["yaml", "json"] as const)(
    "a webhook body stays below its maximum size for any request, in %s",
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
          eventText: hostile,
          context: [hostile],
          request,
          buildFile: async () => `ref: ${REF}\n---\nMESS: [{request: {intent: "${long}"}}]\n`,
        },
        body,
      );

      const [hook] = moppy.hooks;
      expect(new TextEncoder().encode(hook?.body).byteLength).toBeLessThan(MAX_BODY_BYTES);
      expect(hook?.headers.get("mess-cut")).toBe("true");
      expect(hook?.headers.get("mess-thread")).toBe(`https://mess.test/mess/${REF}`);
      if (body === "json") expect(hook?.json.data).toMatchObject({ ref: REF, cut: true });
      else expect(readDocuments(hook?.body ?? "").ok).toBe(true);
    },
  );
});

describe("a response", () => {
  it.each([
    ["ok", { ok: true }],
    ["garbage", { ok: true }],
    ["huge", { ok: true, note: expect.any(String) }],
  ] as const)(
    "the response to a webhook determines the result of the delivery: %s",
    async (answer, sent) => {
      moppy.script.push(answer);

      expect(await send()).toEqual(sent);
    },
  );

  it("a webhook that redirects fails, and the redirect is not followed", async () => {
    moppy.script.push("redirect");

    expect(await send()).toMatchObject({ ok: false });
    expect(moppy.hooks).toHaveLength(1);
  });

  it("a webhook can ask for a retry at a date", async () => {
    const date = new Date(Date.now() + 90_000).toUTCString();
    moppy.script.push(() => new Response(null, { status: 503, headers: { "Retry-After": date } }));

    const sent = await send();

    expect(sent.ok ? 0 : sent.retryAfterSeconds).toBeGreaterThan(80);
    expect(sent.ok ? 0 : sent.retryAfterSeconds).toBeLessThanOrEqual(91);
  });

  const connectAnswering = (text: string, type = "application/yaml") => {
    moppy.script.push(() => new Response(text, { headers: { "Content-Type": type } }));
    return send();
  };

  const CLAIMED = { type: "status", body: { code: "claimed" } };
  const DONE = { type: "response", body: { content: ["done"] } };

  it.each([
    ["YAML", "MESS:\n- status: {code: claimed}\n", "application/yaml; charset=utf-8", CLAIMED],
    ["JSON", '{"MESS": [{"response": {"content": ["done"]}}]}', "application/json", DONE],
    ["the ref", `MESS: [{status: {re: ${REF}, code: claimed}}]`, "text/yaml", CLAIMED],
  ])(
    "a MESS message in the response to a webhook is posted in the robot's name: %s",
    async (_what, text, type, block) => {
      expect(await connectAnswering(text, type)).toEqual({
        ok: true,
        reply: [{ re: REF, blocks: [block] }],
      });
    },
  );

  it.each([
    ["words", "OK", "text/plain"],
    ["a page", "<h1>ok</h1>", "text/html"],
    ["JSON of its own", '{"status": "completed"}', "application/json"],
    ["YAML of its own", "taken: true", "application/yaml"],
    ["nothing", "", "application/json"],
  ])("a webhook's answer that is no MESS is no message: %s", async (_what, text, type) => {
    expect(await connectAnswering(text, type)).toEqual({ ok: true });
  });

  it.each([
    [
      "of another thread",
      "MESS: [{status: {re: 2031-05-04-002, code: claimed}}]",
      expect.any(String),
    ],
    ["a request", "MESS: [{request: {intent: oil me}}]", expect.any(String)],
    ["a cancel", "MESS: [{cancel: {reason: no}}]", expect.any(String)],
    ["no status", "MESS: [{status: {code: flying}}]", expectNaming("bad_field")],
  ])(
    "an unusable reply in the response to a webhook is noted and not posted: %s",
    async (_what, text, note) => {
      expect(await connectAnswering(text)).toEqual({ ok: true, note });
    },
  );
});

it("a webhook body that fits is not cut", async () => {
  await send();

  expect(parse(moppy.hooks[0]?.body.split("---\n")[0] ?? "")).toMatchObject({ ref: REF });
  expect(moppy.hooks[0]?.headers.get("mess-cut")).toBeNull();
});
