import { afterEach, describe, expect, it, vi } from "vitest";
import { connectHost } from "../dispatch/machine-hosts.ts";
import { expectOkJson, readRefusal } from "../support.ts";
import { createMopTask, PHOTO, createRobotHousehold } from "./support.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("a file at the robot's own address", () => {
  const respond = (ref: string, uri: string) => ({
    MESS: [{ response: { re: ref, content: [{ image: { uri } }] } }],
  });

  it("a file at the robot's own address is fetched and stored with its response", async () => {
    const { agent, moppy, url } = await createRobotHousehold();
    moppy.files.set("/files/floor.png", { type: "image/png", bytes: PHOTO });
    const ref = await createMopTask(agent);

    await expectOkJson(
      await moppy.callBack({
        url,
        message: respond(ref, "https://moppy.example.com/files/floor.png"),
      }),
    );

    const { attachments } = await agent.read(`/mess/${ref}`);
    expect(attachments).toMatchObject([{ mime: "image/png", original: "floor.png" }]);
    const bytes = await (await agent.fetch(attachments[0].url)).arrayBuffer();
    expect(new Uint8Array(bytes)).toEqual(PHOTO);
  });

  it("a file at the robot's own address is fetched once, however often the message is repeated", async () => {
    const { agent, moppy, url } = await createRobotHousehold();
    let shots = 0;
    connectHost("moppy.example.com", async ({ method }) => {
      if (method === "GET") shots += 1;
      const picture = new Uint8Array([...PHOTO, shots]);
      return new Response(picture, { headers: { "Content-Type": "image/png" } });
    });
    const ref = await createMopTask(agent);
    const call = {
      url,
      id: "msg_1",
      message: respond(ref, "https://moppy.example.com/camera.png"),
    };

    const answers = [
      await moppy.callBack(call),
      await moppy.callBack(call),
      await moppy.callBack(call),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { attachments, messages } = await agent.read(`/mess/${ref}`);
    expect(attachments).toHaveLength(1);
    expect(shots).toBe(1);
    expect(messages.filter(({ from }: { from: string }) => from === "moppy")).toHaveLength(1);
  });

  it("a file at another address stays a link", async () => {
    const { agent, moppy, url } = await createRobotHousehold();
    const ref = await createMopTask(agent);

    await expectOkJson(
      await moppy.callBack({ url, message: respond(ref, "https://elsewhere.example.com/a.png") }),
    );

    const thread = await agent.read(`/mess/${ref}`);
    expect(thread.attachments).toEqual([]);
    expect(JSON.stringify(thread.messages)).toContain("https://elsewhere.example.com/a.png");
  });

  it("a robot's message with a file that cannot be fetched is refused, and may be repeated", async () => {
    const { agent, moppy, url } = await createRobotHousehold();
    const ref = await createMopTask(agent);
    const call = { url, id: "msg_1", message: respond(ref, "https://moppy.example.com/lost.png") };

    const refused = await moppy.callBack(call);
    moppy.files.set("/lost.png", { type: "image/png", bytes: PHOTO });
    const taken = await moppy.callBack(call);

    expect(await readRefusal(refused)).toBe("422 unknown_attachment");
    expect(taken.status).toBe(200);
  });
});
