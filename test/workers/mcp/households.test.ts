import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Principal } from "../../../src/auth/principal.ts";
import type { McpCaller } from "../../../src/ingress/mcp/caller.ts";
import { serveCaller } from "../../../src/ingress/mcp/route.ts";
import { createFreshHousehold, ORIGIN, type TestHousehold } from "../support.ts";
import { buildModernRequest, readReceived, findRef, callTool } from "./support.ts";

/** The grants of a person who signed in once for several households. */
const buildCaller = (...homes: TestHousehold[]): McpCaller => ({
  principals: homes.map(({ id }): Principal => ({
    household: id,
    actor: "scout",
    role: "agent",
  })) as [Principal, ...Principal[]],
  isValid: async () => true,
});

async function call(caller: McpCaller, method: string, params: Record<string, unknown>) {
  const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const capabilities = method.startsWith("tasks/") || params["task"] ? tasks : {};
  const request = new Request(
    `${ORIGIN}/mcp`,
    buildModernRequest(method, params, { capabilities }),
  );
  return (await readReceived(await serveCaller(request, env, caller))).messages.at(-1)!;
}

const use = async (caller: McpCaller, name: string, args: object) => {
  const { result } = await call(caller, "tools/call", { name, arguments: args });
  return { text: result.content[0].text as string, isError: result.isError === true };
};

describe("two agents in two households", () => {
  it("agents of two households with the same ids on the same day never see each other's threads", async () => {
    const [one, two] = [await createFreshHousehold(), await createFreshHousehold()];
    const args = { intent: "Is it locked?", id: "door", requires: ["look"], wait_seconds: 0 };
    const [first, second] = [
      await callTool(one.agent, "mess_observe", args),
      await callTool(two.agent, "mess_observe", { ...args, intent: "Is it painted?" }),
    ];
    expect(findRef(first.text)).toBe(findRef(second.text));

    await one.ann.appendBlocks(findRef(first.text), { response: { content: ["locked twice"] } });
    const [mine, theirs] = [
      await callTool(one.agent, "mess_status", { re: "door" }),
      await callTool(two.agent, "mess_status", { re: "door" }),
    ];

    expect(mine.text).toContain("> locked twice");
    expect(mine.text).not.toContain("painted");
    expect(theirs.text).not.toContain("locked");
    expect(theirs.text).toContain("Is it painted?");
  });
});

describe("one caller with several households", () => {
  it("a caller with several households chooses one of its grant with exchange", async () => {
    const [one, two, foreign] = [
      await createFreshHousehold(),
      await createFreshHousehold(),
      await createFreshHousehold(),
    ];
    const caller = buildCaller(one, two);

    const listed = await call(caller, "tools/list", {});
    const there = await use(caller, "mess_do", {
      intent: "Water it",
      requires: ["carry"],
      exchange: two.id,
      wait_seconds: 0,
    });
    const elsewhere = await use(caller, "mess_do", { intent: "Break in", exchange: foreign.id });

    expect(listed.result.tools[0].inputSchema.properties.exchange.enum).toEqual([one.id, two.id]);
    expect(there.text).toContain(`exchange=${two.id}`);
    expect((await two.agent.read(`/mess/${findRef(there.text)}`)).envelope.intent).toBe("Water it");
    expect((await one.agent.fetch(`/mess/${findRef(there.text)}`)).status).toBe(404);
    expect(elsewhere.isError).toBe(true);
    for (const { id } of [one, two]) expect(elsewhere.text).toContain(id);
    // The refusal repeats the given id but does not list it as valid.
    expect(elsewhere.text.split(foreign.id).length).toBeLessThanOrEqual(2);
  });

  it("a caller with several households finds a request in any of them", async () => {
    const [one, two, foreign] = [
      await createFreshHousehold(),
      await createFreshHousehold(),
      await createFreshHousehold(),
    ];
    const ref = await two.agent.createThread("Only there", { id: "there" });
    const hidden = await foreign.agent.createThread("Not there", { id: "hidden" });
    const caller = buildCaller(one, two);

    expect((await use(caller, "mess_status", { re: ref })).text).toContain("Only there");
    expect((await use(caller, "mess_cancel", { re: ref })).text).toContain("cancelled");
    expect((await use(caller, "mess_status", { re: hidden })).isError).toBe(true);
  });

  it("a caller with several households accepts a suggestion of any of them by its id", async () => {
    const [one, two] = [await createFreshHousehold(), await createFreshHousehold()];
    const suggest = async ({ agent, ann }: TestHousehold, id: string) => {
      const ref = await agent.createThread("Look", { requires: ["look"] });
      await ann.appendBlocks(ref, { suggestion: { id, type: "alternative" } });
    };
    await suggest(one, "sug:here");
    await suggest(two, "sug:there");
    const reply = (re: string) => use(buildCaller(one, two), "mess_reply", { re, accept: true });

    expect((await reply("sug:there")).isError).toBeFalsy();
    expect((await reply("sug:none")).text).toMatch(/^not_found/);
  });

  it("a caller with several households has tasks that name their household", async () => {
    const [one, two, foreign] = [
      await createFreshHousehold(),
      await createFreshHousehold(),
      await createFreshHousehold(),
    ];
    const caller = buildCaller(one, two);
    const ref = await two.agent.createThread("Only there");
    await foreign.agent.createThread("Not there");

    const found = await call(caller, "tasks/get", { taskId: `${two.id}/${ref}` });
    const wrong = await call(caller, "tasks/get", { taskId: `${one.id}/${ref}` });
    const beyond = await call(caller, "tasks/get", { taskId: `${foreign.id}/${ref}` });

    expect(found.result).toMatchObject({ taskId: `${two.id}/${ref}`, status: "working" });
    expect([wrong.error?.code, beyond.error?.code]).toEqual([-32_602, -32_602]);
  });

  it("a caller with several households reads the list of each, under its name", async () => {
    const [one, two] = [await createFreshHousehold(), await createFreshHousehold()];

    const { result } = await call(buildCaller(one, two), "resources/read", {
      uri: "mess://executors",
    });

    expect(result.contents[0].text).toContain(`exchange: ${one.id}`);
    expect(result.contents[0].text).toContain(`exchange: ${two.id}`);
  });
});
