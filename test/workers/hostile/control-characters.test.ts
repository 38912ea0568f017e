import { describe, expect, it } from "vitest";
import { countThreads, createFreshHousehold, readRefusal } from "../support.ts";
import { createFreshThread } from "../thread/support.ts";

describe("control characters", () => {
  it("a request with an escaped NUL is refused and leaves no thread", async () => {
    const { agent } = await createFreshHousehold();

    const refused = await agent.postBlocks({ request: { intent: "water\0 the plants" } });

    expect(await readRefusal(refused)).toBe("400 bad_encoding");
    expect(await countThreads(agent)).toBe(0);
  });

  it("a body of another route with an escaped NUL is refused", async () => {
    const { owner } = await createFreshHousehold();

    const refused = await owner.post("/api/v1/keys", { actor: "ann", role: "agent", label: "a\0" });

    expect(await readRefusal(refused)).toBe("400 bad_encoding");
  });

  it("a chat message with a control character is accepted without it", async () => {
    const { household, stub, append, read } = await createFreshThread();
    await append("ann", { status: { code: "claimed" } });

    const received = await stub.receiveReply(
      { household, actor: "ann" },
      {
        channel: "telegram",
        key: "1",
        action: "message",
        text: "two\0 eggs\u000b left",
        files: [],
      },
    );

    expect(received).toMatchObject({ ok: true });
    expect(JSON.stringify((await read()).messages)).toContain("two eggs left");
  });
});
