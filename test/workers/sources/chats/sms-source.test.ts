/** Tests which SMS to the household's number reach its source, and how the source answers them. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { PNG } from "../../../support/media/png.ts";
import { ANN, createSmsHousehold } from "../../ingress/sms/sms-household.ts";
import { addSource, listInSource, sendFromSource } from "./support.ts";

const STRANGER = "+15005550199";

async function createSourceHousehold() {
  const home = await createSmsHousehold();
  await addSource(home, { kind: "sms" });
  return home;
}

afterEach(() => vi.unstubAllGlobals());

describe("an SMS to the number of a household with an SMS source", () => {
  it("a stranger's MMS reaches the source with its picture, completes no task and gets no answer", async () => {
    const { askLook, readStatus, phones, write, ...home } = await createSourceHousehold();
    const ref = await askLook("look into the box");

    const answer = await write("done", {
      from: STRANGER,
      media: [{ type: "image/png", bytes: PNG }],
    });

    expect(answer).toBeUndefined();
    const [message] = await listInSource(home);
    expect(message).toMatchObject({
      kind: "sms",
      sender: STRANGER,
      body: "done",
      channel: STRANGER,
      attachments: [{ mime: "image/png", size: PNG.byteLength }],
    });
    expect(message!.recipient).toBe(phones.settings().from);
    expect(await readStatus(ref)).toBe("pending");
  });

  it("a member's SMS answers the only open task, and reaches the source while two are open", async () => {
    const { askLook, readStatus, write, ...home } = await createSourceHousehold();
    const first = await askLook("look into the box");
    await write("done");
    await askLook("look at the meter");
    await askLook("look at the roof");

    const answer = await write("two eggs");

    expect(await readStatus(first)).toBe("completed");
    expect((await listInSource(home)).map(({ body }) => body)).toEqual(["two eggs"]);
    expect(answer).toContain("not to a task");
  });

  it("a keyword that Twilio answers reaches the source, and the exchange does not answer it", async () => {
    const { write, ...home } = await createSourceHousehold();

    const answers = [await write("STOP", { from: STRANGER }), await write("help")];

    expect(answers).toEqual([undefined, undefined]);
    expect((await listInSource(home)).map(({ body }) => body)).toEqual(["STOP", "help"]);
  });

  it("an answer is sent from the household's number", async () => {
    const { phones, ...home } = await createSourceHousehold();

    const sent = await sendFromSource(home, { to: [STRANGER], body: "On our way" });

    const shown = phones.messages.at(-1)!;
    expect(shown).toMatchObject({ to: STRANGER, body: "On our way" });
    expect(sent).toEqual({ ok: true, external_id: shown.sid });
  });

  it("a number that has sent STOP is a permanent failure", async () => {
    const { phones, ...home } = await createSourceHousehold();
    phones.act.stop(ANN);

    const sent = await sendFromSource(home, { to: [ANN] });

    expect(sent).toMatchObject({ ok: false, isPermanent: true });
  });
});
