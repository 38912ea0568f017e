/** Tests the request URL of the Slack app: it accepts signed requests only. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { ORIGIN, sendRequest } from "../../support.ts";
import { createSlackHousehold } from "./slack-household.ts";

afterEach(() => vi.unstubAllGlobals());

describe("the request URL of a Slack app", () => {
  it("the challenge of Slack is answered only if it is signed", async () => {
    const { workspace } = await createSlackHousehold();

    const response = await workspace.act.challenge("word");
    const forged = await workspace.act.challenge("word", { secret: "another" });

    expect(await response.json()).toEqual({ challenge: "word" });
    expect(forged.status).toBe(401);
  });

  it("a Slack request that is unsigned or signed for another household is refused", async () => {
    const one = await createSlackHousehold();
    const { ref } = await one.askLook("look for the keys");
    const other = await createSlackHousehold();

    const elsewhere = await other.write({ text: "done", hook: one.hook });
    const nobody = await one.write({ text: "done", hook: `${ORIGIN}/hooks/slack/nobody` });
    const bare = await sendRequest(new URL(one.hook).pathname, { method: "POST", body: "{}" });

    expect([elsewhere.status, nobody.status, bare.status]).toEqual([401, 401, 401]);
    expect(await nobody.text()).toBe(await elsewhere.text());
    expect(await one.listMessagesIn(ref)).toEqual([]);
  });

  it("a signed Slack request with a malformed body is answered and changes nothing", async () => {
    const { workspace, askLook, listMessagesIn } = await createSlackHousehold();
    const { ref } = await askLook("look for the keys");
    const form = "application/x-www-form-urlencoded";
    const odd = { type: "event_callback", event_id: "Ev1", event: { type: "message", user: 7 } };
    const bodies = ["", "[]", "null", "{", "\u0000", "payload=%7B", "x".repeat(9_000)];

    const responses = [
      ...(await Promise.all(bodies.map((body) => workspace.act.raw(body)))),
      ...(await Promise.all(bodies.map((type) => workspace.act.raw(type, { type: form })))),
      await workspace.act.raw(JSON.stringify(odd)),
      await workspace.act.raw(JSON.stringify({ ...odd, event: null })),
      await workspace.act.raw(`payload=${JSON.stringify({ type: "block_actions" })}`, {
        type: form,
      }),
    ];

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await workspace.act.raw("x".repeat(1_100_000))).status).toBe(413);
    expect(await listMessagesIn(ref)).toEqual([]);
  });
});
