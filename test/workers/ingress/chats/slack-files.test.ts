/** Tests photos and files that members send in Slack. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { PNG } from "../../../support/media/png.ts";
import { waitUntil, expectOkJson } from "../../support.ts";
import { readRefusal } from "../../../support/answers.ts";
import { ANN, buildPhoto, createSlackHousehold } from "./slack-household.ts";

afterEach(() => vi.unstubAllGlobals());

describe("files in Slack", () => {
  it("a message with a file whose download from Slack breaks off is requested again, and no part is stored", async () => {
    const { workspace, askLook, listMessagesIn, readThread, write } = await createSlackHousehold();
    const { ref, message } = await askLook("look for the keys");
    const reply = { to: message, text: "see", event: "Ev1" };

    const first = await write({ ...reply, files: [{ ...buildPhoto(), announced: 5_000 }] });
    expect(first.status).toBe(500);
    const second = await write({ ...reply, files: [buildPhoto()], retry: 1 });

    expect(second.status).toBe(200);
    expect(await listMessagesIn(ref)).toEqual(["response"]);
    expect((await readThread(ref)).attachments).toMatchObject([{ size: PNG.byteLength }]);
    expect(workspace.toldOnly(ANN)).toEqual([]);
  });

  it("a message with a file that Slack no longer has is refused as a whole, and its sender is notified", async () => {
    const { workspace, askLook, listMessagesIn, write } = await createSlackHousehold();
    const { ref, message } = await askLook("look for the keys");
    workspace.fail({ status: 404 });

    const lost = await write({ to: message, text: "see", files: [buildPhoto()] });
    await waitUntil(async () => expect(workspace.toldOnly(ANN)).toHaveLength(1));
    workspace.fail({ status: 503 });
    const last = await write({ to: message, text: "see", files: [buildPhoto()], retry: 3 });

    expect([lost.status, last.status]).toEqual([200, 200]);
    await waitUntil(async () =>
      expect(workspace.toldOnly(ANN)).toEqual([
        readRefusal("bad_attachment"),
        readRefusal("internal"),
      ]),
    );
    expect(await listMessagesIn(ref)).toEqual([]);
  });

  it("files are fetched from Slack only, so that its token is sent to no other host", async () => {
    const { workspace, askLook, listMessagesIn } = await createSlackHousehold();
    const { ref, message } = await askLook("look for the keys");
    const asked: string[] = [];
    const reach = globalThis.fetch;
    vi.stubGlobal("fetch", (input: string | URL | Request, init?: RequestInit) => {
      asked.push(new URL(input instanceof Request ? input.url : input).hostname);
      return reach(input, init);
    });

    for (const url of [
      "https://evil.test/x",
      "https://slack.com.evil.test/x",
      "http://slack.com/x",
    ])
      await workspace.act.event({
        type: "message",
        subtype: "file_share",
        user: ANN,
        channel: message.channel,
        channel_type: "im",
        ts: "1.1",
        thread_ts: message.ts,
        text: "see",
        files: [{ id: "F1", name: "x.png", mimetype: "image/png", url_private_download: url }],
      });

    await waitUntil(async () => expect(workspace.toldOnly(ANN)).toHaveLength(3));
    expect(new Set(asked)).toEqual(new Set(["slack.com"]));
    expect(await listMessagesIn(ref)).toEqual([]);
  });

  it("a sign-in page that Slack serves in place of a file is not stored as a photo", async () => {
    const { owner, workspace, askLook, listMessagesIn, write } = await createSlackHousehold();
    const { ref, message } = await askLook("look for the keys");
    const { signing_secret } = workspace.settings();
    await expectOkJson(
      await owner.postBlocks({
        config: { dispatch: { slack: { bot_token: "xoxb-old", signing_secret } } },
      }),
    );

    const response = await write({ to: message, text: "see", files: [buildPhoto()] });

    expect(response.status).toBe(200);
    expect(await listMessagesIn(ref)).toEqual([]);
  });
});
