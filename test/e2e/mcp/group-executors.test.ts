/** People and robots of the household who work for an AI group, from the agent's MCP client to the phone and back. */
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { createClient } from "../../../scripts/lib/client.ts";
import { DEMO_PHONE_ID } from "../../../scripts/lib/demo/demo-household.ts";
import { launchBrowser } from "../../support/browser.ts";
import { startRobot } from "../../support/local-servers/robot-server.ts";
import { startTwilio } from "../../support/local-servers/twilio-server.ts";
import { t } from "../../support/page-texts.ts";
import { openActionForm, RespondStage, sendNow } from "../../support/respond-setup.ts";
import { answerField } from "../respond/page-controls.ts";
import { Participant } from "./participant.ts";
import { findPhotoUri, stack } from "./stage.ts";

const PHONE_NUMBER = "+15005550101";

let browser: Browser;
let pages: RespondStage;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  browser = await launchBrowser();
  // The exchange is shared with other files.
  const { ready, state } = stack;
  pages = new RespondStage({ ready, state, stop: () => Promise.resolve(0) }, browser);
});
afterAll(() => pages.end());
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await pages.closeContexts();
  expect(pages.faults.splice(0)).toEqual([]);
});

const configure = (...MESS: object[]): Promise<unknown> =>
  createClient(stack.ready.origin, stack.ready.keys.owner).post("/mess", { MESS });

/** Ops and a new group that it leads, with the ids of its calls. */
async function createGroup(topic: string) {
  const ops = await Participant.connect("the 2.x client", stack.ready.keys.agent);
  const { group_id, my_id } = await ops.use("initiate", { topic, my_name: topic });
  return { ops, own: { group_id: group_id as string, my_id: my_id as string } };
}

it("a person opens the link of a task, asks ops, sees the answer, and sends a photo that ops reads", async () => {
  const { origin, household, keys } = stack.ready;
  const phone = await startTwilio({ hook: `${origin}/hooks/twilio/${household}` });
  stops.push(phone.stop);
  await configure(
    { config: { dispatch: { sms: phone.settings() } } },
    { config: { executor: { id: DEMO_PHONE_ID, notify: { sms: PHONE_NUMBER } } } },
  );
  const { ops, own } = await createGroup("Move in");

  const content = "Measure the niche in the hall";
  const task = { ...own, to_id: DEMO_PHONE_ID, message_type: "task", content };
  const sent = await ops.use("send", task);
  await expect.poll(() => phone.messages).toMatchObject([{ to: PHONE_NUMBER }]);
  const [link = ""] = /https?:\/\/\S+/.exec(phone.messages[0]!.body) ?? [];
  const page = await pages.open(link);
  await page.getByRole("heading", { name: content }).waitFor();

  await openActionForm(page, "needs_input");
  await page.getByLabel(t("question_n", { n: 1 })).fill("Width or depth?");
  await page.locator(".sheet button[type=submit]").click();
  const asked = await ops.wait(own);
  const answer = { to_id: DEMO_PHONE_ID, content: "The depth", reply_to: asked.messages[0].id };
  await ops.use("send", { ...own, ...answer });
  await page.locator("#thread").getByText("The depth").waitFor();

  await answerField(page).fill("62 cm");
  await page.locator("#pick-photos").setInputFiles("scripts/assets/fridge.jpg");
  await page.locator(".tile.image").waitFor();
  await page.getByRole("button", { name: t("send_answer") }).click();
  await sendNow(page);
  const done = await ops.wait(own);
  const files = await Participant.connect("the 2.x client", keys.agent, "/mcp");
  const photo = await files.use("mess_fetch", { uri: findPhotoUri(done.text) });

  expect(asked.messages).toMatchObject([
    { type: "question", from: DEMO_PHONE_ID, person: true, ref: sent.ref },
  ]);
  expect(asked.text).toContain("q1: Width or depth?");
  expect(done.messages).toMatchObject([{ type: "report", from: DEMO_PHONE_ID, reply_to: sent.id }]);
  expect(done.text).toContain("> 62 cm");
  expect(photo).toMatchObject({ mime: "image/jpeg" });
  expect((await ops.use("status", { group_id: own.group_id })).tasks).toEqual([]);
});

it("a robot behind a webhook asks the agent that gave it a task, gets the answer, and completes", async () => {
  const { origin, keys } = stack.ready;
  const owner = createClient(origin, keys.owner);
  const buildConfig = (webhook: string) => ({
    config: { executor: { id: "mower", kind: "robot", notify: { webhook } } },
  });
  await configure(buildConfig("http://127.0.0.1:9/hook"));
  const { secret } = await owner.get<{ secret: string }>("/api/v1/executors/mower/webhook-secret");
  const mower = await startRobot({ secret });
  stops.push(mower.stop);
  await configure(buildConfig(mower.hook));
  const { ops, own } = await createGroup("Garden");
  const { key } = await owner.post<{ key: string }>("/api/v1/keys", {
    actor: "gardener",
    role: "agent",
  });
  const gardener = await Participant.connect("the 2025 SDK", key);
  const joined = await gardener.use("join", { group_id: own.group_id, my_name: "gardener" });
  const me = { group_id: own.group_id, my_id: joined.my_id };

  const task = { ...me, to_id: "mower", message_type: "task", content: "Mow the lawn" };
  const sent = await gardener.use("send", task);
  await expect
    .poll(() => mower.about(sent.ref).map(({ event }) => event))
    .toContain("task.offered");
  const questions = [{ field: "height", question: "How high?", options: ["low", "high"] }];
  const message = { MESS: [{ status: { re: sent.ref, code: "needs_input", questions } }] };
  const askedBack = await mower.callBack({ message });
  const asked = await gardener.wait(me);
  const [{ id: reply_to }] = asked.messages;
  const answer = { to_id: "mower", content: '{"height": "high"}', reply_to };
  // The channel of the robot and the agent is closed to the group's ops.
  const foreign = ops.use("send", { ...own, ...answer });
  await expect(foreign).rejects.toThrow(/^unknown_reference/);
  await gardener.use("send", { ...me, ...answer });
  await expect
    .poll(() =>
      mower
        .about(sent.ref)
        .map(({ body }) => body)
        .join(),
    )
    .toMatch(/answers:\s+height: high/);
  await mower.callBack({
    message: {
      MESS: [
        { response: { re: sent.ref, content: ["Mowed at 6 cm"] } },
        { status: { re: sent.ref, code: "completed" } },
      ],
    },
  });
  const done = await gardener.wait(me);

  expect(askedBack.status).toBe(200);
  expect(asked.text).toContain("How high? (low | high)");
  expect(done.messages).toMatchObject([{ type: "report", from: "mower", reply_to: sent.id }]);
  expect(done.text).toContain("> Mowed at 6 cm");
  expect((await ops.use("pending", own)).total_pending).toBe(0);
  expect(mower.forged).toEqual([]);
});

it.each([
  ["the 2.x client", "the 2025 SDK"],
  ["the 2025 SDK", "the 2.x client"],
] as const)(
  "a request by %s is reviewed by an agent of the pool that uses %s, which asks before it reports",
  async (requestorEra, agentEra) => {
    const { origin, keys } = stack.ready;
    const capability = `code-review-${agentEra === "the 2025 SDK" ? "old" : "new"}`;
    const owner = createClient(origin, keys.owner);
    const { key } = await owner.post<{ key: string }>("/api/v1/keys", {
      actor: capability,
      role: "executor",
    });
    const agent = await Participant.connect(agentEra, key);
    const entry = { agent_name: "reviewer", capabilities: [capability] };
    const { agent_id: my_id } = await agent.use("pool_register", entry);
    const me = { group_id: "agents", my_id };
    const given = agent.wait(me);

    const requestor = await Participant.connect(requestorEra, keys.agent, "/mcp");
    const created = await requestor.use("mess_observe", {
      intent: "Review the change",
      requires: [capability],
      context: ["It is in https://git.example.org/1"],
      wait_seconds: 0,
    });
    const { messages, text, cursor } = await given;
    const [task] = messages;
    const toExchange = { ...me, to_id: "exchange", reply_to: task.id };
    const question = { ...toExchange, message_type: "question", content: "Which branch?" };
    await agent.use("send", question);
    const waited = await requestor.use("mess_wait", { re: task.ref });
    await requestor.use("mess_reply", { re: task.ref, answers: "main" });
    const answer = await agent.wait({ ...me, cursor });
    const reported = await agent.use("send", {
      ...toExchange,
      message_type: "report",
      content: "Looks good",
      files_modified: ["review.md"],
    });
    const result = await requestor.use("mess_wait", { re: task.ref });

    expect(created.text).toContain(task.ref);
    expect(task).toMatchObject({ type: "task", from: "exchange" });
    expect(text).toMatch(/> Review the change[^]*https:\/\/git\.example\.org\/1/);
    expect(waited.text).toContain("Which branch?");
    expect(answer.text).toContain("main");
    expect(reported).toMatchObject({ completes: task.id, ref: task.ref });
    expect(result.text).toContain("completed");
    expect(result.text).toContain("> Looks good");
    expect(result.text).toContain("review.md");
    await agent.use("pool_release", { agent_id: my_id, remove: true });
  },
);
