/** Messages as resources, their subscriptions, and the prompt. */
import { describe, expect, it } from "vitest";
import { type Caller, waitUntil } from "../../support.ts";
import {
  buildLegacyRequest,
  buildModernRequest,
  callLegacy,
  callRpc,
  openSession,
  readStream,
} from "../support.ts";
import { createMessageScene, MESSAGES } from "./support.ts";

const { path } = MESSAGES;
const NOTICES = "msg://notices";

const read = (caller: Caller, uri: string) => callRpc(caller, "resources/read", { uri }, MESSAGES);

describe("resources", () => {
  it("a message is read with its text quoted, and its file with its bytes", async () => {
    const { secretary, receive } = await createMessageScene();
    const bytes = new TextEncoder().encode("a plan");
    const attachments = [{ name: "plan.txt", mime: "text/plain", bytes }];
    const id = await receive(1, { attachments, raw: { mime: "message/rfc822", bytes } });

    const message = await read(secretary, `msg://mail/${id}`);
    const file = await read(secretary, `msg://mail/${id}/0`);
    const raw = await read(secretary, `msg://mail/${id}/raw`);

    expect(message.result.contents[0].text).toContain("> The body of message 1.");
    for (const one of [file, raw]) expect(atob(one.result.contents[0].blob)).toBe("a plan");
  });

  it("the newest messages that the caller may read are listed", async () => {
    const { secretary, addLimitedKey, receive } = await createMessageScene();
    const reader = await addLimitedKey("msg/alerts");
    const [mail, alert] = [await receive(1), await receive(2, {}, "alerts")];
    const list = async (caller: Caller) => {
      const { result } = await callRpc(caller, "resources/list", {}, MESSAGES);
      return result.resources.map(({ uri }: { uri: string }) => uri) as string[];
    };

    await waitUntil(async () =>
      expect(await list(secretary)).toEqual([
        NOTICES,
        `msg://alerts/${alert}`,
        `msg://mail/${mail}`,
      ]),
    );

    expect(await list(reader)).toEqual([NOTICES, `msg://alerts/${alert}`]);
  });

  it("a missing message, another source's and a missing file are not found", async () => {
    const { secretary, addLimitedKey, receive } = await createMessageScene();
    const reader = await addLimitedKey("msg/alerts");
    const id = await receive(1);

    for (const [caller, uri] of [
      [secretary, "msg://mail/m_0000000000009"],
      [secretary, `msg://mail/${id}/0`],
      [secretary, `msg://mail/${id}/..`],
      [reader, `msg://mail/${id}`],
      [reader, `msg://nowhere/${id}`],
    ] as const)
      expect((await read(caller, uri)).error?.code, uri).toBe(-32_602);
  });

  it("the notices are a resource, without those of other sources", async () => {
    const { secretary, addLimitedKey, receiveUrgent } = await createMessageScene();
    const reader = await addLimitedKey("msg/alerts");
    const id = await receiveUrgent(1);

    const { result } = await waitUntil(async () => {
      const answer = await read(secretary, NOTICES);
      expect(answer.result.contents[0].text).toContain(id);
      return answer;
    });
    const theirs = await read(reader, NOTICES);

    expect(result.contents[0].text).toContain("mail");
    expect(theirs.result.contents[0].text).not.toContain(id);
  });

  it("the names of sources are completed", async () => {
    const { secretary } = await createMessageScene();
    const ref = { type: "ref/resource", uri: "msg://{source}/{id}" };
    const argument = { name: "source", value: "m" };

    const { result } = await callRpc(secretary, "completion/complete", { ref, argument }, MESSAGES);

    expect(result.completion.values).toEqual(["mail"]);
  });

  it("the prompt secretary says how to work", async () => {
    const { secretary } = await createMessageScene();

    const { result } = await callRpc(secretary, "prompts/get", { name: "secretary" }, MESSAGES);

    expect(result.messages[0].content.text).toContain("Only the owner sends them");
  });
});

const isUpdate = { method: "notifications/resources/updated", params: { uri: NOTICES } };

describe("subscriptions to notices", () => {
  it("a subscription of 2026-07-28 reports each notice, at both addresses", async () => {
    const { home, secretary, receiveUrgent } = await createMessageScene();
    const listen = () =>
      buildModernRequest("subscriptions/listen", {
        notifications: { resourceSubscriptions: [NOTICES] },
      });
    const streams = [
      readStream(await secretary.fetch(path, listen())),
      readStream(await home.owner.fetch("/mcp/all", listen())),
    ];
    for (const stream of streams) await stream.readNext();

    for (const n of [1, 2]) {
      await receiveUrgent(n);
      for (const stream of streams) expect(await stream.readNext()).toMatchObject(isUpdate);
    }

    for (const stream of streams) await stream.close();
  });

  it("a session of the 2025 revisions reports each notice", async () => {
    const { secretary, receiveUrgent } = await createMessageScene();
    const session = await openSession(secretary, {}, path);
    await callLegacy(secretary, "resources/subscribe", { uri: NOTICES }, session, path);
    const stream = readStream(
      await secretary.fetch(path, {
        headers: { Accept: "text/event-stream", ...session },
      }),
    );
    // The stream reports each subscribed resource when it opens.
    expect(await stream.readNext()).toMatchObject(isUpdate);

    await receiveUrgent(1);

    expect(await stream.readNext()).toMatchObject(isUpdate);
    await stream.close();
  });

  it("a notice of another source is not reported", async () => {
    const { secretary, addLimitedKey, receiveUrgent } = await createMessageScene();
    const reader = await addLimitedKey("msg/alerts");
    const listen = buildModernRequest("subscriptions/listen", {
      notifications: { resourceSubscriptions: [NOTICES] },
    });
    const stream = readStream(await reader.fetch(path, listen));
    await stream.readNext();
    const { cursor } = (
      await callRpc(secretary, "tools/call", { name: "wait", arguments: { timeout: 0 } }, MESSAGES)
    ).result.structuredContent;
    const given = { name: "wait", arguments: { cursor, timeout: 30 } };

    await receiveUrgent(1, "mail");
    await callRpc(secretary, "tools/call", given, MESSAGES);
    await receiveUrgent(2, "alerts");

    expect(await stream.readNext()).toMatchObject(isUpdate);
    await stream.close();
  });

  it.each(["mess://pending", "thread://2026-01-01-001", "msg://mail/m_0000000000001"])(
    "a session at /mcp/messages cannot subscribe to %s",
    async (uri) => {
      const { secretary } = await createMessageScene();
      const session = await openSession(secretary, {}, path);
      const request = buildLegacyRequest("resources/subscribe", { uri }, session);

      const response = await secretary.fetch(path, request);

      expect(await response.text()).toContain("-32002");
    },
  );
});
