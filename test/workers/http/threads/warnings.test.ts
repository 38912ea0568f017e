/** Warnings in acks: the message is stored, but something in it is likely a mistake. */
import { describe, expect, it } from "vitest";
import { callTool } from "../../mcp/support.ts";
import { createFreshHousehold, expectOkJson, readRefusal } from "../../support.ts";

async function readWarnings(...requests: object[]): Promise<string[] | undefined> {
  const { agent } = await createFreshHousehold();
  const response = await agent.postBlocks(...requests.map((request) => ({ request })));
  return (await expectOkJson(response)).MESS[0].ack.warnings as string[] | undefined;
}

describe("the ack of a request", () => {
  it("has no warnings for a request that somebody can do", async () => {
    const fields = { needed_by: "2099-01-01T00:00:00Z", priority: "normal", requires: ["look"] };

    expect(await readWarnings({ intent: "look", ...fields })).toBeUndefined();
  });

  it("warns that nobody can do it, and why", async () => {
    const warnings = await readWarnings({ intent: "fly", requires: ["fly-balloon"] });

    expect(warnings).toEqual([expect.stringMatching(/\bann\b.*\bfly-balloon\b/)]);
  });

  it("warns of an unknown field, and names the nearest one", async () => {
    const warnings = await readWarnings({ intent: "look", prioritty: "urgent", shoe_size: 43 });

    expect(warnings).toEqual([
      expect.stringMatching(/\bprioritty\b.*\bpriority\b/),
      expect.stringMatching(/\bshoe_size\b/),
    ]);
  });

  it.each([
    { needed_by: "2020-01-01T00:00:00Z" },
    { constraints: { timing: { expires: "2020-01-01" } } },
  ])("warns of a deadline in the past: %j", async (fields) => {
    const warnings = await readWarnings({ intent: "look", ...fields });

    expect(warnings).toEqual([expect.stringMatching(/\b(?:needed_by|expires)\b.*\bpast\b/)]);
  });

  it.each([
    [{ chioce: ["a", "b"] }, /\bchioce\b.*\bchoice\b/],
    ["picture", /\bpicture\b/],
    [{ number: { min: 9, max: 1 } }, /\bmin\b.*\bnumber\b.*\bmax\b/],
  ])("warns of a hint from which no form can be built: %j", async (hint, expected) => {
    const warnings = await readWarnings({ intent: "look", response_hint: [hint] });

    expect(warnings).toEqual([expect.stringMatching(expected)]);
  });

  it("has no warnings for hints in the known forms, or in words", async () => {
    const response_hint = [
      "image",
      "a photo of each shelf",
      { choice: ["a", "b"] },
      { number: { min: 1, max: 9 } },
      { field: "size", type: "number" },
    ];

    expect(await readWarnings({ intent: "look", response_hint })).toBeUndefined();
  });

  it("names the request of each warning of a batch", async () => {
    const warnings = await readWarnings(
      { id: "fine", intent: "look" },
      { id: "wrong", intent: "look", contxt: ["a"] },
    );

    expect(warnings).toEqual([expect.stringMatching(/^wrong: contxt\b.*\bcontext\b/)]);
  });
});

describe("the ack of a config", () => {
  it("warns of an address in a channel that the household has not set up", async () => {
    const { owner } = await createFreshHousehold();
    const notify = { slack: "U04ABCDEF", ntfy: "a-secret-topic" };
    const response = await owner.postBlocks({ config: { executor: { id: "ann", notify } } });

    const { warnings } = (await expectOkJson(response)).MESS[0].ack;

    expect(warnings).toEqual([expect.stringMatching(/\bnotify\.slack\b.*\bdispatch\.slack\b/)]);
  });

  it("does not warn where the same config sets the channel up", async () => {
    const { owner } = await createFreshHousehold();
    const dispatch = { slack: { bot_token: "xoxb-1", signing_secret: "s" } };
    const config = { dispatch, executor: { id: "ann", notify: { slack: "U04ABCDEF" } } };

    const { ack } = (await expectOkJson(await owner.postBlocks({ config }))).MESS[0];

    expect(ack.warnings).toEqual([]);
  });
});

describe("a slip in a call", () => {
  it("an unclosed bracket in YAML is named as such", async () => {
    const { agent } = await createFreshHousehold();
    const response = await agent.fetch("/mess", {
      method: "POST",
      headers: { "Content-Type": "application/yaml" },
      body: "request:\n  requires: [look\n  intent: look at the roof\n",
    });

    const { error } = await response.clone().json<{ error: { message: string; line: number } }>();

    expect(await readRefusal(response)).toBe("400 bad_yaml");
    expect(error).toMatchObject({ message: expect.stringContaining("["), line: 3 });
  });

  it.each(["mess_status", "mess_wait", "mess_cancel"])("%s takes ref for re", async (tool) => {
    const { agent } = await createFreshHousehold();
    const ref = await agent.createThread("look", { requires: ["look"] });
    const more = tool === "mess_wait" ? { wait_seconds: 0 } : {};

    const { result } = await callTool(agent, tool, { ref, ...more });

    expect(result.structuredContent.ref).toBe(ref);
  });
});
