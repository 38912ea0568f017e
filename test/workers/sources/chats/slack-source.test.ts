/** Tests which messages to the household's Slack app reach its source, and how the source answers them. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { PNG } from "../../../support/media/png.ts";
import { ANN, buildPhoto, createSlackHousehold } from "../../ingress/chats/slack-household.ts";
import {
  addSource,
  listInSource,
  readSourceStatus,
  sendFromSource,
  setMessageCount,
} from "./support.ts";

const STRANGER = "U04ZOE";

async function createSourceHousehold() {
  const home = await createSlackHousehold();
  await addSource(home, { kind: "slack" });
  return home;
}

afterEach(() => vi.unstubAllGlobals());

describe("a message to the app of a household with a Slack source", () => {
  it("a stranger's message with a file reaches the source, answers no task and gets no receipt", async () => {
    const { askLook, listMessagesIn, write, workspace, ...home } = await createSourceHousehold();
    const { ref } = await askLook("look for the keys");
    const before = workspace.messages.length;

    const response = await write({ user: STRANGER, text: "done", files: [buildPhoto()] });

    expect(response.status).toBe(200);
    const [message] = await listInSource(home);
    expect(message).toMatchObject({
      kind: "slack",
      sender: STRANGER,
      body: "done",
      channel: `D${STRANGER.slice(1)}`,
      attachments: [{ name: "fridge.png", mime: "image/png", size: PNG.byteLength }],
    });
    expect(await listMessagesIn(ref)).toEqual([]);
    expect(workspace.messages.length).toBe(before);
    expect(workspace.reactions.size).toBe(0);
  });

  it("a stranger's message that a full source refuses is refused to Slack until its last attempt", async () => {
    const { write, ...home } = await createSourceHousehold();
    await setMessageCount(home, 200_000);

    const early = await write({ user: STRANGER, text: "is it free?", retry: 2 });
    const last = await write({ user: STRANGER, text: "is it free?", retry: 3 });

    expect([early.status, last.status]).toEqual([500, 200]);
    expect(await readSourceStatus(home)).toHaveProperty("problem");
  });

  it("a member's text goes to the source while two tasks are open, and a reply to one of them to its task", async () => {
    const { askLook, listMessagesIn, write, workspace, ...home } = await createSourceHousehold();
    const first = await askLook("look for the keys");
    await askLook("look at the meter");

    await write({ text: "in the hall" });
    await write({ to: first.message, text: "in the hall" });

    expect((await listInSource(home)).map(({ body }) => body)).toEqual(["in the hall"]);
    expect(await listMessagesIn(first.ref)).toEqual(["response"]);
    await vi.waitFor(() => expect([...workspace.reactions.values()]).toEqual(["eyes", "thumbsup"]));
  });

  it("a message in a shared channel that replies to nothing of the app is not read", async () => {
    const { write, ...home } = await createSourceHousehold();

    await write({ user: STRANGER, channel: "C04HOME", text: "lunch?" });

    expect(await listInSource(home)).toEqual([]);
  });

  it("an answer arrives in the Slack thread of the original, as plain text", async () => {
    const { write, listSentTo, ...home } = await createSourceHousehold();
    await write({ text: "hello" });
    const [original] = await listInSource(home);
    const { channel } = original!;
    const ts = original!.headers.find(([name]) => name === "Timestamp")?.[1];
    const external = `${channel}:${ts}`;

    const sent = await sendFromSource(home, {
      to: [channel],
      body: "<!channel> & so on",
      answers: { external_id: external, references: [], channel, headers: [] },
    });

    const shown = listSentTo(ANN).at(-1)!;
    expect(shown).toMatchObject({
      text: "&lt;!channel&gt; &amp; so on",
      thread_ts: ts,
    });
    expect(sent).toEqual({ ok: true, external_id: `${channel}:${shown.ts}` });
  });

  it("a throttled and a revoked app are reported to the outbox", async () => {
    const { workspace, ...home } = await createSourceHousehold();
    const to = [`D${ANN.slice(1)}`];
    workspace.fail({ status: 429, wait: 12 });
    const throttled = await sendFromSource(home, { to });

    workspace.act.revoke();
    const revoked = await sendFromSource(home, { to });

    expect(throttled).toMatchObject({ ok: false, retryAfterSeconds: 12 });
    expect(throttled).not.toHaveProperty("mayBeSent");
    expect(revoked).toMatchObject({ ok: false, isPermanent: true });
  });
});
