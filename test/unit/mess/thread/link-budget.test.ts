import { describe, expect, it } from "vitest";
import { countLinkMessage } from "../../../../src/mess/thread/link-budget.ts";
import type { ThreadState } from "../../../../src/mess/thread/state.ts";

const LIMITS = { link_messages_per_thread: 2, link_bytes_per_thread: 100 };

describe("the budget of messages through links", () => {
  it("a member may send a number of messages, and other members as many", () => {
    const state = {} as ThreadState;
    const send = (actor: string) => countLinkMessage(state, actor, 10, LIMITS)?.reason;

    expect([
      send("ann"),
      send("ann"),
      send("constructor"),
      send("ann"),
      send("constructor"),
    ]).toEqual([undefined, undefined, undefined, "link_messages_per_thread", undefined]);
    expect(state.link_use).toMatchObject([{ actor: "ann" }, { actor: "constructor" }]);
  });

  it("a member may send a number of bytes", () => {
    const state = {} as ThreadState;

    expect(countLinkMessage(state, "ann", 100, LIMITS)).toBeUndefined();
    expect(countLinkMessage(state, "ann", 1, LIMITS)).toMatchObject({
      code: "thread_full",
      reason: "link_bytes_per_thread",
    });
  });
});
