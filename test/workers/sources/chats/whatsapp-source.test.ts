/** Tests a source of the kind whatsapp with a local Cloud API. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { PNG } from "../../../support/media/png.ts";
import { createWhatsapp } from "../../../support/channels/whatsapp.ts";
import { reachOutside } from "../../ingress/local-services.ts";
import { createFreshHousehold, ORIGIN, readRefusal, sendRequest } from "../../support.ts";
import { addSource, listInSource, sendFromSource, SOURCE } from "./support.ts";

const ZOE = "15005550199";

async function createSourceHousehold() {
  const home = await createFreshHousehold();
  const cloud = createWhatsapp({
    hook: `${ORIGIN}/hooks/sources/${home.id}/${SOURCE}`,
    deliver: (request) => sendRequest(request.url.slice(ORIGIN.length), request),
  });
  reachOutside(cloud.hosts);
  await addSource(home, { kind: "whatsapp", ...cloud.settings });
  return { ...home, cloud };
}

const answerTo = (id: string) => ({
  to: [ZOE],
  answers: { external_id: id, references: [], channel: ZOE, headers: [] },
});

afterEach(() => vi.unstubAllGlobals());

describe("the webhook of a WhatsApp source", () => {
  it("Meta's check of the address is answered with its challenge, only with the right token", async () => {
    const { cloud, id } = await createSourceHousehold();

    const right = await cloud.act.check();
    const wrong = await cloud.act.check("another-token");
    const unknown = await sendRequest(
      `/hooks/sources/${id}/nothing?hub.mode=subscribe&hub.challenge=1&hub.verify_token=`,
    );

    expect([right.status, await right.text()]).toEqual([200, "1158201444"]);
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(await readRefusal(wrong)).toBe(await readRefusal(unknown));
  });

  it("a text is stored once with its sender and the message that it replies to", async () => {
    const { cloud, ...home } = await createSourceHousehold();

    const first = await cloud.act.write({ from: ZOE, text: "Is the flat free?", id: "wamid.1" });
    await cloud.act.write({ from: ZOE, text: "Is the flat free?", id: "wamid.1" });
    await cloud.act.write({ from: ZOE, text: "In May?", replyTo: "wamid.1" });

    expect(first.status).toBe(200);
    const messages = await listInSource(home);
    expect(messages).toMatchObject([
      {
        kind: "whatsapp",
        sender: `+${ZOE}`,
        sender_name: "Zoe",
        recipient: "15550783881",
        body: "Is the flat free?",
        channel: ZOE,
        has_raw: true,
      },
      { body: "In May?" },
    ]);
    expect(messages[1]!.reply_to).toBe(messages[0]!.id);
  });

  it.each([
    { name: "without a signature", change: { secret: "" } },
    { name: "signed with another secret", change: { secret: "another secret of Meta" } },
    {
      name: "changed after it was signed",
      change: { tamper: (body: string) => body.replace("hello", "hallo") },
    },
  ])("a notification $name is refused and stores nothing", async ({ change }) => {
    const { cloud, ...home } = await createSourceHousehold();

    const response = await cloud.act.write({ from: ZOE, text: "hello", ...change });

    expect(response.status).toBe(401);
    expect(await listInSource(home)).toEqual([]);
  });

  it("a message to another number of the account is not for this source", async () => {
    const { cloud, ...home } = await createSourceHousehold();

    const response = await cloud.act.write({ from: ZOE, text: "hello", number: "999999999999" });

    expect(response.status).toBe(200);
    expect(await listInSource(home)).toEqual([]);
  });

  it("parts of a notification that are not understood become messages with the raw notification", async () => {
    const { cloud, ...home } = await createSourceHousehold();
    const head = { from: ZOE, id: "wamid.1", timestamp: "1700000000", type: "text" };

    await cloud.act.notify({ messages: [{ ...head, text: "no object" }, { type: "new" }] });
    await cloud.act.notify({ messages: "no list" });
    const foreign = await cloud.act.notify({ messages: "no list" }, { number: "1" });

    expect(foreign.status).toBe(200);
    expect(await listInSource(home)).toMatchObject([
      { sender: `+${ZOE}`, has_raw: true },
      { sender: "WhatsApp", has_raw: true },
      { sender: "WhatsApp", has_raw: true },
    ]);
  });

  it("a picture is fetched and stored with its caption", async () => {
    const { cloud, ...home } = await createSourceHousehold();

    await cloud.act.write({
      from: ZOE,
      image: { type: "image/png", bytes: PNG, caption: "the leak" },
    });

    expect(await listInSource(home)).toMatchObject([
      {
        body: "the leak",
        attachments: [{ name: "photo.jpg", mime: "image/png", size: PNG.byteLength }],
      },
    ]);
  });

  it("a picture that cannot be fetched now is asked for again, and one that is gone is named in the text", async () => {
    const { cloud, ...home } = await createSourceHousehold();
    const picture = { from: ZOE, image: { type: "image/png", bytes: PNG, caption: "the leak" } };
    cloud.fail({ status: 503 });

    const failed = await cloud.act.write({ ...picture, id: "wamid.1" });
    const before = await listInSource(home);
    cloud.fail({ status: 404 });
    const gone = await cloud.act.write({ ...picture, id: "wamid.1" });

    expect(failed.status).toBe(500);
    expect(before).toEqual([]);
    expect(gone.status).toBe(200);
    expect(await listInSource(home)).toMatchObject([
      { body: expect.stringMatching(/^the leak\n\(photo\.jpg is missing/), attachments: [] },
    ]);
  });

  it("a report of a failed delivery becomes a message that says why, and other reports nothing", async () => {
    const { cloud, ...home } = await createSourceHousehold();

    await cloud.act.report("wamid.9", "delivered");
    await cloud.act.report("wamid.9", "read");
    await cloud.act.report("wamid.9", "failed", 131_047);
    await cloud.act.report("wamid.9", "failed", 131_047);

    expect(await listInSource(home)).toMatchObject([
      {
        subject: "Message not delivered",
        automatic: "bounce",
        body: expect.stringContaining("more than 24 hours have passed"),
      },
    ]);
  });
});

describe("sending from a WhatsApp source", () => {
  it("an answer arrives as a reply to the original", async () => {
    const { cloud, ...home } = await createSourceHousehold();
    const { id } = await cloud.act.write({ from: ZOE, text: "Is the flat free?" });

    const sent = await sendFromSource(home, answerTo(id));

    expect(cloud.messages).toMatchObject([{ to: ZOE, body: "Thank you", replyTo: id }]);
    expect(sent).toEqual({ ok: true, external_id: cloud.messages[0]!.id });
  });

  it("a message after the 24 hours fails for good, with the reason in plain words", async () => {
    const { cloud, ...home } = await createSourceHousehold();
    const { id } = await cloud.act.write({ from: ZOE, text: "Is the flat free?" });
    cloud.act.closeWindow();

    const sent = await sendFromSource(home, answerTo(id));

    expect(sent).toMatchObject({
      ok: false,
      isPermanent: true,
      reason: expect.stringContaining("24 hours"),
    });
  });

  it("a throttled number waits, a revoked token is permanent, and a broken connection may have sent it", async () => {
    const { cloud, ...home } = await createSourceHousehold();
    const { id } = await cloud.act.write({ from: ZOE, text: "Is the flat free?" });

    cloud.fail({ status: 429, wait: 40 });
    const throttled = await sendFromSource(home, answerTo(id));
    cloud.act.breakConnection();
    const broken = await sendFromSource(home, answerTo(id));
    cloud.act.revoke();
    const revoked = await sendFromSource(home, answerTo(id));

    expect(throttled).toMatchObject({ ok: false, retryAfterSeconds: 40 });
    expect(broken).toMatchObject({ ok: false, mayBeSent: true });
    expect(revoked).toMatchObject({ ok: false, isPermanent: true });
    const texts = JSON.stringify([throttled, broken, revoked]);
    for (const secret of Object.values(cloud.settings).slice(1))
      expect(texts).not.toContain(secret);
  });
});
