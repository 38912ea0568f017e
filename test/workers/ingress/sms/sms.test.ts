import { afterEach, describe, expect, it, vi } from "vitest";
import { createDiscord } from "../../../support/channels/discord.ts";
import { NO_TASK_TEXT } from "../../../../src/channels/sms/twiml.ts";
import { listOfferedAnswers, expectNaming } from "../../../support/naming.ts";
import { PNG } from "../../../support/media/png.ts";
import { type Caller, waitUntil, expectOkJson, ORIGIN, sendRequest } from "../../support.ts";
import { readRefusal, buildSpoken } from "../../../support/answers.ts";
import { reachOutside } from "../local-services.ts";
import { ANN, createSmsHousehold } from "./sms-household.ts";

afterEach(() => vi.unstubAllGlobals());

describe("conversations by SMS", () => {
  it("a member takes a request by SMS, answers with a photo, and completes it", async () => {
    const { agent, phones, askLook, write } = await createSmsHousehold();
    const intent = "check what is in the fridge";
    const ref = await askLook(intent);

    expect(phones.messages[0]).toMatchObject({ to: ANN });
    expect(listOfferedAnswers(phones.messages[0]?.body ?? "")).toEqual(["one", "zero"]);
    const taken = await write("1");
    expect(taken).toBe(buildSpoken("1", intent, { status: "claimed", holdsThread: true }));
    expect(listOfferedAnswers(taken ?? "")).toEqual(["done"]);
    expect(await write("two eggs", { media: [{ type: "image/png", bytes: PNG }] })).toBe(
      buildSpoken("two eggs", intent, { status: "claimed", holdsThread: true }),
    );
    expect(await write("Done!")).toBe(
      buildSpoken("Done!", intent, { status: "completed", holdsThread: true }),
    );

    const { envelope, messages, attachments } = await agent.read(`/mess/${ref}`);
    expect(envelope).toMatchObject({ status: "completed", executor: "ann" });
    expect(JSON.stringify(messages)).toContain("two eggs");
    expect(messages.at(-2)).toMatchObject({ from: "ann", channel: "sms" });
    const photo = await agent.fetch(attachments[0].url);
    expect(photo.headers.get("Content-Type")).toBe("image/png");
  });

  it.each([
    ["Arabic", "١", "تمّ"],
    ["Portuguese", "Sim!", "Concluído"],
  ])("a member takes and completes a request with keywords in %s", async (_name, take, done) => {
    const { agent, askLook, write, readStatus } = await createSmsHousehold();
    const ref = await askLook("look for the keys");

    await write(take);
    expect(await readStatus(ref)).toBe("claimed");
    await write(done);

    expect(await readStatus(ref)).toBe("completed");
    // A keyword is no answer.
    expect(JSON.stringify(await agent.read(`/mess/${ref}`))).not.toContain('"response"');
  });

  it("a member who declines by SMS leaves the request open", async () => {
    const { askLook, write, readStatus } = await createSmsHousehold();
    const ref = await askLook("look for the keys");

    expect(await write("0")).toBe(buildSpoken("0", "look for the keys", {}));

    expect(await readStatus(ref)).not.toBe("claimed");
  });

  it("a reply keyword by SMS is applied to the latest request", async () => {
    const { askLook, write, readStatus } = await createSmsHousehold();
    const older = await askLook("look for the keys");
    const newer = await askLook("look at the meter");

    await write("yes");

    expect(await readStatus(newer)).toBe("claimed");
    expect(await readStatus(older)).toBe("pending");
  });

  it("DONE by SMS completes the request that the member holds, even if another came later, and names it", async () => {
    const { owner, phones, askLook, write, readStatus } = await createSmsHousehold();
    const older = await askLook("look for the keys");
    await write("1");
    await waitUntil(async () => {
      const { events } = await owner.read("/api/v1/events");
      expect(events).toContainEqual(expect.objectContaining({ ref: older, status: "claimed" }));
    });
    const newer = await askLook("look at the meter");
    await waitUntil(async () => expect(phones.messages).toHaveLength(2));

    expect(await write("done")).toBe(
      buildSpoken("done", "look for the keys", { status: "completed", holdsThread: true }),
    );

    expect(await readStatus(older)).toBe("completed");
    expect(await readStatus(newer)).toBe("pending");
  });

  it("an SMS that arrives before the report of its offer is accepted if only one request is open", async () => {
    const { agent, ann, phones, write, readStatus } = await createSmsHousehold();
    phones.fail({ status: 503 });
    const ref = await agent.createThread("look for the keys", { requires: ["look"] });
    await waitUntil(async () => {
      const { threads } = await ann.read("/mess?for=me");
      expect(threads).toHaveLength(1);
    });

    expect(await write("1")).toBe(
      buildSpoken("1", "look for the keys", { status: "claimed", holdsThread: true }),
    );

    expect(await readStatus(ref)).toBe("claimed");
  });

  it("an SMS after the end of the request gets the reply that no task is open", async () => {
    const { agent, owner, phones, askLook, write } = await createSmsHousehold();
    const ref = await askLook("look for the keys");
    await write("1");
    await agent.appendBlocks(ref, { cancel: { reason: "found them" } });

    await waitUntil(async () => expect(phones.messages.at(-1)?.body).toContain("found them"));
    expect(listOfferedAnswers(phones.messages.at(-1)?.body ?? "")).toEqual([]);
    await waitUntil(async () => {
      const { events } = await owner.read("/api/v1/events");
      expect(events.at(-1)).toMatchObject({ ref, status: "cancelled" });
    });
    expect(await write("here they are")).toBe(NO_TASK_TEXT);
  });
});

describe("SMS without a request", () => {
  it.each(["STOP", "stop ", "START", "HELP", "cancel"])(
    "an SMS with a keyword that Twilio answers itself is ignored: %s",
    async (word) => {
      const { askLook, write, readStatus } = await createSmsHousehold();
      const ref = await askLook("look for the keys");

      expect(await write(word)).toBeUndefined();

      expect(await readStatus(ref)).toBe("pending");
    },
  );

  it("an SMS of an unknown sender gets no reply, and is logged as an event for the owner", async () => {
    const { owner, agent, askLook, write, readStatus } = await createSmsHousehold();
    const ref = await askLook("look for the keys");

    expect(await write("1", { from: "+15005550199" })).toBeUndefined();
    expect(await write("let me in", { from: "+15005550199" })).toBeUndefined();

    expect(await readStatus(ref)).toBe("pending");
    const listUnknownSenders = async (who: Caller) =>
      (await who.read("/api/v1/events")).events.filter(
        ({ action }: { action?: string }) => action === "stranger",
      );
    expect(await listUnknownSenders(owner)).toMatchObject([
      { channel: "sms", note: "+15005550199" },
    ]);
    expect(await listUnknownSenders(agent)).toEqual([]);
  });
});

describe("Twilio's webhook", () => {
  it("repeated and late SMS are processed once", async () => {
    const { agent, askLook, write } = await createSmsHousehold();
    const ref = await askLook("look for the keys");

    const first = await write("1", { sid: "SM1" });
    await write("under the sofa", { sid: "SM2" });
    const again = await write("1", { sid: "SM1" });
    await Promise.all([
      write("under the sofa", { sid: "SM2" }),
      write("1", { sid: "SM1" }),
      write("under the sofa", { sid: "SM2" }),
    ]);

    expect(again).toBe(first);
    const { messages } = await agent.read(`/mess/${ref}`);
    const smsMessages = messages.filter(({ channel }: { channel?: string }) => channel === "sms");
    expect(smsMessages).toHaveLength(2);
  });

  it("Twilio's signature is valid for the address with and without the port", async () => {
    const { askLook, write, readStatus } = await createSmsHousehold();
    const ref = await askLook("look for the keys");

    await write("1", { spelt: (url) => url.replace("mess.test", "mess.test:443") });

    expect(await readStatus(ref)).toBe("claimed");
  });

  it("an SMS that is unsigned or signed for another household is refused", async () => {
    const one = await createSmsHousehold();
    const ref = await one.askLook("look for the keys");
    const other = await createSmsHousehold();

    const elsewhere = await other.phones.act.receiveSms({ from: ANN, body: "1", hook: one.hook });
    const nobody = await one.phones.act.receiveSms({
      from: ANN,
      body: "1",
      hook: `${ORIGIN}/hooks/twilio/nobody`,
    });
    const bare = await sendRequest(`/hooks/twilio/${one.id}`, {
      method: "POST",
      body: new URLSearchParams({ From: ANN, Body: "1", MessageSid: "SM1" }),
    });

    expect([elsewhere.status, nobody.status, bare.status]).toEqual([401, 401, 401]);
    expect(await nobody.text()).toBe(await elsewhere.text());
    expect(await one.readStatus(ref)).toBe("pending");
  });

  it("an SMS whose picture cannot be fetched is refused as a whole, and its sender is notified", async () => {
    const { agent, phones, askLook, write } = await createSmsHousehold();
    const ref = await askLook("look for the keys");
    await write("1");
    phones.fail({ status: 404 });

    const smsMessages = await write("see", { media: [{ type: "image/png", bytes: PNG }] });

    expect(smsMessages).toBe(readRefusal("bad_attachment"));
    const { messages, attachments } = await agent.read(`/mess/${ref}`);
    expect(attachments).toEqual([]);
    expect(JSON.stringify(messages)).not.toContain('"see"');
  });
});

describe("delivery reports of Twilio", () => {
  it("a report that a number no longer exists is logged for the owner once", async () => {
    const { owner, phones, askLook } = await createSmsHousehold();
    await askLook("look for the keys");
    const [message] = phones.messages;

    for (let count = 0; count < 3; count++) {
      const response = await phones.act.sendReceipt(message!, "undelivered", { code: 30_005 });
      expect(response.status).toBe(200);
    }

    const { events } = await owner.read("/api/v1/events");
    const gone = events.filter(({ action }: { action?: string }) => action === "channel_gone");
    expect(gone).toHaveLength(1);
    expect(gone[0]).toMatchObject({ by: "ann" });
  });

  it("after a report that a number no longer exists, the request is sent once by the member's next channel", async () => {
    const { agent, owner, phones, askLook } = await createSmsHousehold();
    const room = createDiscord();
    reachOutside({
      "https://api.twilio.com": phones.handle,
      "https://discord.com": room.handle,
    });
    const notify = { sms: ANN, discord: room.address() };
    await expectOkJson(
      await owner.postBlocks({
        config: { executor: { id: "ann", capabilities: ["look"], notify } },
      }),
    );
    const ref = await askLook("look for the keys");

    await phones.act.sendReceipt(phones.messages[0]!, "undelivered", { code: 30_005 });
    await phones.act.sendReceipt(phones.messages[0]!, "undelivered", { code: 30_005 });

    await waitUntil(async () => expect(room.messages).toHaveLength(1));
    const { envelope } = await agent.read(`/mess/${ref}`);
    const failed = envelope.history.filter(
      ({ action }: { action: string }) => action === "delivery_failed",
    );
    expect(failed).toHaveLength(1);
    expect(failed[0].note).toEqual(expectNaming("ann", "sms", 30_005));
    expect(phones.messages).toHaveLength(1);
  });

  it("after a report that a phone is off, the message is retried and the number kept", async () => {
    const { agent, owner, phones, askLook } = await createSmsHousehold();
    const ref = await askLook("look for the keys");

    await phones.act.sendReceipt(phones.messages[0]!, "undelivered", { code: 30_003 });

    await vi.waitFor(() => expect(phones.messages).toHaveLength(2), { timeout: 12_000 });
    const { envelope } = await agent.read(`/mess/${ref}`);
    expect(envelope.history).toContainEqual(
      expect.objectContaining({
        action: "delivery_failed",
        note: expectNaming("ann", "sms", 30_003),
      }),
    );
    const { events } = await owner.read("/api/v1/events");
    expect(JSON.stringify(events)).not.toContain("channel_gone");
  });

  it("a report of success changes nothing", async () => {
    const { owner, phones, askLook, readStatus } = await createSmsHousehold();
    const ref = await askLook("look for the keys");

    expect((await phones.act.sendReceipt(phones.messages[0]!, "delivered")).status).toBe(200);

    const { events } = await owner.read("/api/v1/events");
    expect(events.filter(({ action }: { action?: string }) => action !== undefined)).toEqual([]);
    expect(await readStatus(ref)).toBe("pending");
  });

  it("a forged delivery report is refused", async () => {
    const { owner, phones, askLook } = await createSmsHousehold();
    await askLook("look for the keys");

    const response = await phones.act.sendReceipt(phones.messages[0]!, "failed", {
      code: 30_005,
      token: "another-token",
    });

    expect(response.status).toBe(401);
    const { events } = await owner.read("/api/v1/events");
    expect(JSON.stringify(events)).not.toContain("channel_gone");
  });
});
