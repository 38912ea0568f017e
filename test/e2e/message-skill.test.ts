/** Makes every call of the examples in the skill for messages against a started exchange, in their order. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { joinExchange } from "../support/exchange-process.ts";
import { type MessageHousehold, openMessageHousehold } from "../support/message-household.ts";
import { PlayedSkill } from "../support/played-skill.ts";
import { Agent } from "../support/scripted-members.ts";
import { readToolSkill } from "../support/tool-skills.ts";

let home: MessageHousehold;
let secretary: Agent;
const skill = new PlayedSkill(readToolSkill("messages"));
const play = (example: string, name: string) => skill.play(example, name, secretary);

beforeAll(async () => {
  const { ready } = await joinExchange();
  home = await openMessageHousehold(ready, [{ words: ["flooding"], tier: "NOTIFY" }]);
  const { origin } = ready;
  secretary = await Agent.connect({ origin, mcp: `${origin}/mcp/messages` }, home.secretaryKey);
});

afterAll(async () => {
  await secretary?.close();
});

it("the calls of a secretary lead from a message to a request for approval, and a tidy source", async () => {
  expect((await play("secretary.yaml", "policy")).text).toContain("You sort the incoming");
  const sources = await play("secretary.yaml", "list");
  expect(sources.fields["sources"]).toMatchObject([{ source: "mail", can_send: true }]);
  const before = await secretary.call("wait", { source: "mail", timeout: 0 });
  skill.ids.set("CURSOR", before.fields["cursor"] as string);
  const waiting = play("secretary.yaml", "wait");
  const message = await home.deliver("The heating invoice", "Is Tuesday at 10 fine?");
  expect((await waiting).text).toContain("> Is Tuesday at 10 fine?");
  skill.ids.set("MESSAGE", message);

  expect((await play("secretary.yaml", "read")).text).toContain("> Is Tuesday at 10 fine?");
  const judged = await play("secretary.yaml", "mark");
  expect(judged.fields["messages"]).toMatchObject([{ id: message, tier: "DEFER" }]);
  const drafted = await play("secretary.yaml", "draft");
  skill.ids.set("DRAFT", drafted.fields["id"] as string);
  expect((await play("secretary.yaml", "revise")).fields["revision"]).toBe(2);
  const asked = await play("secretary.yaml", "request_approval");
  expect(asked.fields["state"]).toBe("approval_requested");
  expect((await play("secretary.yaml", "read")).text).toContain("> Thank you, Tuesday at 11");

  await play("tidy.yaml", "list");
  expect((await play("tidy.yaml", "list")).text).toContain(message);
  await play("tidy.yaml", "list");
  const forwarded = await play("tidy.yaml", "draft");
  skill.ids.set("FORWARD", forwarded.fields["id"] as string);
  expect((await play("tidy.yaml", "revise")).fields["state"]).toBe("discarded");
  expect((await play("tidy.yaml", "list")).text).toContain(skill.ids.get("DRAFT"));
  const archived = await play("tidy.yaml", "mark");
  expect(archived.fields["messages"]).toMatchObject([{ id: message, status: "archived" }]);
  const noticed = await secretary.call("wait", { timeout: 0 });
  skill.ids.set("NOTICES", noticed.fields["cursor"] as string);
  const noticing = play("tidy.yaml", "wait");
  const urgent = await home.deliver("A flooding in the cellar", "Water!");
  expect((await noticing).fields["notices"]).toMatchObject([{ id: urgent, tier: "NOTIFY" }]);
});

it("every call of the examples for messages was made", () => {
  skill.expectAllPlayed();
});
