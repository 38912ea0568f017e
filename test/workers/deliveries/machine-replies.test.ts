/** Replies that arrive while a notice is sent, and the escalation if none arrives. */
import { getHouseholdStub } from "../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ALREADY_PENDING_REASON } from "../../../src/delivery/delivery.ts";
import { expectNaming } from "../../support/naming.ts";
import type { MessageInput } from "../../../src/mess/wire/schema.ts";
import {
  createDeliveryHousehold,
  HOUR_MS,
  formatEventText,
  NoticeRecorder,
  SECOND_MS,
  NOTIFY_CHANNELS,
} from "./support.ts";

const recorder = new NoticeRecorder();

beforeEach(() => recorder.clear());
afterEach(() => {
  vi.useRealTimers();
});

const REPORT: MessageInput[] = [
  { blocks: [{ type: "response", body: { content: ["the floor is clean"] } }] },
];
const FORBIDDEN: MessageInput[] = [{ blocks: [{ type: "reply", body: { confirm: true } }] }];

describe("a machine that responds at once", () => {
  it("the response of a machine is appended in its name, and causes no notice to it", async () => {
    const { agent, pass, deliveries } = await createDeliveryHousehold();
    recorder.setAnswer(() => ({ ok: true, reply: REPORT }));

    const ref = await agent.createThread("clean the floor", { requires: ["vacuum"] });

    await vi.waitFor(async () => {
      const { envelope } = await agent.read(`/mess/${ref}`);
      expect(envelope).toMatchObject({ status: "completed", executor: "robo" });
    });
    await vi.waitFor(async () => expect((await deliveries(ref))[0]?.state).toBe("delivered"));
    await pass(ref, HOUR_MS);
    const { messages } = await agent.read(`/mess/${ref}`);
    const ownMessages = messages.filter(({ from }: { from: string }) => from === "robo");
    expect(ownMessages).toEqual([
      expect.objectContaining({
        channel: "webhook",
        MESS: [{ response: { content: ["the floor is clean"] } }],
      }),
    ]);
    expect(recorder.labels).toEqual(["offer robo webhook"]);
  });

  it("a machine's response that the thread refuses is noted in the history", async () => {
    const { agent, notes } = await createDeliveryHousehold();
    recorder.setAnswer(() => ({ ok: true, reply: FORBIDDEN }));

    const ref = await agent.createThread("clean the floor", { requires: ["vacuum"] });

    await vi.waitFor(async () =>
      expect(await notes(ref, "dispatched")).toContainEqual(expectNaming("robo", "webhook")),
    );
  });
});

describe("a member who replies at once", () => {
  it("a member's reply is accepted while another of their addresses is still being tried", async () => {
    const phone = "+15550100";
    const { agent, owner, id } = await createDeliveryHousehold({
      ann: { sms: phone, ...NOTIFY_CHANNELS.phone },
    });
    await owner.postBlocks({
      config: { dispatch: { sms: { account_sid: "AC1", auth_token: "t", from: "+15550199" } } },
    });
    const before = await agent.createThread("check the fridge", { requires: ["look"] });
    await recorder.until(1);
    const slow = Promise.withResolvers<{ ok: true }>();
    recorder.setAnswer(({ channel }) => (channel === "ntfy" ? slow.promise : recorder.accept()));

    const ref = await agent.createThread("the kettle boils over", {
      requires: ["look"],
      priority: "urgent",
    });
    await recorder.until(3);

    let asked = 0;
    await vi.waitFor(async () => {
      const household = getHouseholdStub(env, id);
      const resolved = await household.contacts.resolveInbound({
        channel: "sms",
        id: `SM${++asked}`,
        identities: [phone],
      });
      expect(resolved).toMatchObject({ ok: true, value: { actor: "ann", ref } });
    });
    expect(ref).not.toBe(before);
    slow.resolve({ ok: true });
  });
});

describe("a member who does not answer", () => {
  it("a member who does not answer is reminded at their next address", async () => {
    const { agent, pass } = await createDeliveryHousehold({
      ann: { ...NOTIFY_CHANNELS.chat, ...NOTIFY_CHANNELS.phone },
    });
    const ref = await agent.createThread("check the fridge", { requires: ["look"] });
    await recorder.until(1);

    await pass(ref, HOUR_MS);

    const toAnn = recorder.labels.filter((ownMessages) => ownMessages.includes(" ann "));
    expect(toAnn.slice(0, 2)).toEqual(["offer ann discord", "reminder ann ntfy"]);
  });

  it("a request that nobody claims is left to the owners, who get nothing after a claim", async () => {
    const { agent, ann, pass } = await createDeliveryHousehold({ alerts: NOTIFY_CHANNELS.chat });
    const ref = await agent.createThread("check the fridge", { requires: ["look"] });
    await pass(ref, 12 * HOUR_MS);
    expect(recorder.labels).toContain("alert owner discord");

    await ann.claim(ref);
    await agent.appendBlocks(ref, { followup: { message: "in the kitchen" } });
    await pass(ref, 1);

    expect(recorder.labels.at(-1)).toBe("news ann discord");
  });
});

describe("an owner without channels", () => {
  it("an owner without channels and the requestor find in the events that nobody claims the request", async () => {
    const { agent, owner, pass } = await createDeliveryHousehold({ alerts: {} });
    const ref = await agent.createThread("it drips", { requires: ["look"], priority: "urgent" });

    await pass(ref, HOUR_MS);

    const expected = { ref, action: "escalated", status: "pending" };
    for (const reader of [owner, agent]) {
      const { events } = await reader.read("/api/v1/events");
      const escalated = events.filter(({ action }: { action?: string }) => action === "escalated");
      expect(escalated).toEqual([expect.objectContaining(expected)]);
    }
  });
});

describe("an owner who cannot be notified for a while", () => {
  it("an owner who cannot be notified for a while gets one alert, not one for each reminder", async () => {
    const { agent, pass, deliveries } = await createDeliveryHousehold({
      alerts: NOTIFY_CHANNELS.machine,
    });
    recorder.setAnswer(({ notice }) =>
      notice.kind === "alert" ? { ok: false, reason: "out of order" } : recorder.accept(),
    );
    const ref = await agent.createThread("it drips", { requires: ["look"], priority: "urgent" });
    await pass(ref, 30 * 60 * SECOND_MS);
    recorder.clear();

    await pass(ref, 3 * HOUR_MS);

    const alerts = (await deliveries(ref)).filter(({ kind }) => kind === "alert");
    const repeated = alerts.filter(({ state }) => state === "dropped");
    expect(repeated.length).toBeGreaterThan(5);
    expect(repeated[0]).toMatchObject({ error: ALREADY_PENDING_REASON });
    expect(
      recorder.notices.find(({ notice }) => notice.kind === "alert")!.notice.eventText,
    ).toEqual(expect.any(String));
  });
});

describe("a member who claims before its notice", () => {
  it("a member who claims before the notice arrives still gets later notices", async () => {
    const { agent, robo, pass } = await createDeliveryHousehold();
    recorder.setFailure("webhook");
    const ref = await agent.createThread("clean the floor", { requires: ["vacuum"] });
    await recorder.until(1);
    await robo.claim(ref);
    await pass(ref, 10 * SECOND_MS);
    recorder.clear();

    await agent.appendBlocks(ref, { followup: { message: "also under the sofa" } });

    await recorder.until(1);
    expect(recorder.notices[0]!.notice).toMatchObject({
      kind: "news",
      executor: "robo",
      eventText: formatEventText("said", "scout", "also under the sofa"),
    });
  });
});
