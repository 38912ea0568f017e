/** Photos and files that people send in Slack. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { PNG } from "../../support/png.ts";
import { eventually, expectOk } from "../support.ts";
import { ANN, photo, slackHome } from "./slack-home.ts";

afterEach(() => vi.unstubAllGlobals());

describe("files", () => {
  it("that cannot be had now are asked for again, and come with their words once", async () => {
    const { workspace, askLook, saidIn, threadOf, write } = await slackHome();
    const { ref, message } = await askLook("look for the keys");
    workspace.fail({ status: 503 });
    const said = { to: message, text: "see", files: [photo()], event: "Ev1" };

    const first = await write(said);
    expect(first.status).toBe(500);
    expect(await saidIn(ref)).toEqual([]);
    const second = await write({ ...said, retry: 1 });

    expect(second.status).toBe(200);
    expect(await saidIn(ref)).toEqual(["response"]);
    expect((await threadOf(ref)).attachments).toHaveLength(1);
  });

  it("that break off are asked for again, and nothing is half kept", async () => {
    const { workspace, askLook, saidIn, threadOf, write } = await slackHome();
    const { ref, message } = await askLook("look for the keys");
    const said = { to: message, text: "see", event: "Ev1" };

    const first = await write({ ...said, files: [{ ...photo(), announced: 5_000 }] });
    expect(first.status).toBe(500);
    const second = await write({ ...said, files: [photo()], retry: 1 });

    expect(second.status).toBe(200);
    expect(await saidIn(ref)).toEqual(["response"]);
    expect((await threadOf(ref)).attachments).toMatchObject([{ size: PNG.byteLength }]);
    expect(workspace.toldOnly(ANN)).toEqual([]);
  });

  it("that cannot be had at all are told to the person, and nothing is half said", async () => {
    const { workspace, askLook, saidIn, write } = await slackHome();
    const { ref, message } = await askLook("look for the keys");
    workspace.fail({ status: 404 });

    const lost = await write({ to: message, text: "see", files: [photo()] });
    await eventually(async () => expect(workspace.toldOnly(ANN)).toHaveLength(1));
    workspace.fail({ status: 503 });
    const last = await write({ to: message, text: "see", files: [photo()], retry: 3 });

    expect([lost.status, last.status]).toEqual([200, 200]);
    await eventually(async () => expect(workspace.toldOnly(ANN)).toHaveLength(2));
    expect(await saidIn(ref)).toEqual([]);
  });

  it("are fetched from Slack alone, and the token goes nowhere else", async () => {
    const { workspace, askLook, saidIn } = await slackHome();
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

    await eventually(async () => expect(workspace.toldOnly(ANN)).toHaveLength(3));
    expect(new Set(asked)).toEqual(new Set(["slack.com"]));
    expect(await saidIn(ref)).toEqual([]);
  });

  it("without the right to see them are a page to sign in, which is no photo", async () => {
    const { owner, workspace, askLook, saidIn, write } = await slackHome();
    const { ref, message } = await askLook("look for the keys");
    const { signing_secret } = workspace.settings();
    await expectOk(
      await owner.say({
        config: { dispatch: { slack: { bot_token: "xoxb-old", signing_secret } } },
      }),
    );

    const answer = await write({ to: message, text: "see", files: [photo()] });

    expect(answer.status).toBe(200);
    expect(await saidIn(ref)).toEqual([]);
  });
});
