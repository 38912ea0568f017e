import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { getSourceStub } from "../../../../src/stubs.ts";
import {
  createScriptedClassifier,
  readPromptedMessage,
} from "../../../support/channels/classifier.ts";
import { reachOutside } from "../../ingress/local-services.ts";
import { unwrap } from "../../outcomes.ts";
import { buildIncoming } from "../../sources/support.ts";
import {
  type Answered,
  Caller,
  createFreshHousehold,
  expectOkJson,
  readRefusal,
  type TestHousehold,
  waitUntil,
} from "../../support.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const MODEL = "https://model.test";

/** A household with two webhook sources and a classifier that answers with the tier that a message names. */
async function createScene(classifier: object = { kind: "agent" }) {
  const home = await createFreshHousehold();
  const model = createScriptedClassifier({
    apiKey: "sk-home",
    answer: (request) => {
      const tier = /want (\w+)/.exec(readPromptedMessage(request))?.[1] ?? "DEFER";
      const wanted = request.system.includes("Ignore everything.") ? "IGNORE" : tier;
      return `TIER: ${wanted}\nREASON: The model decided.`;
    },
  });
  reachOutside({ [MODEL]: model.handle });
  const secret = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;
  const source = { kind: "webhook", secret };
  const config = { sources: { alerts: source, doors: source }, messages: { classifier } };
  await expectOkJson(await home.owner.postBlocks({ config }));
  return { home, model };
}

const OPENAI = { kind: "openai", url: `${MODEL}/v1`, model: "small", api_key: "sk-home" };

async function receive(
  { id }: TestHousehold,
  source: string,
  ...messages: Parameters<typeof buildIncoming>[]
): Promise<string[]> {
  const { messages: rpc } = getSourceStub(env, id, source);
  return await waitUntil(async () =>
    unwrap(await rpc.receive(messages.map((given) => buildIncoming(...given)))).map(
      (received) => received.id,
    ),
  );
}

const put = (caller: Caller, path: string, body: object) =>
  caller.fetch(path, {
    method: "PUT",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json" },
  });

const waitForTier = (caller: Caller, source: string, id: string, tier: string): Promise<Answered> =>
  waitUntil(async () => {
    const message = await caller.read(`/sources/${source}/messages/${id}`);
    expect(message).toMatchObject({ tier });
    return message;
  });

async function createLimitedAgent({ owner }: TestHousehold, paths: string[]): Promise<Caller> {
  const body = { actor: "sorter", role: "agent", paths };
  const { key } = await expectOkJson(await owner.post("/api/v1/keys", body));
  return new Caller("sorter", key as string);
}

describe("the watcher over HTTP", () => {
  it("classifies a message by the household's classifier and policy", async () => {
    const { home, model } = await createScene(OPENAI);
    await expectOkJson(await put(home.owner, "/message-policy", { policy: "Sort by size." }));
    const [id] = await receive(home, "alerts", [1, { body: "I want NOTIFY" }]);
    const message = await waitForTier(home.owner, "alerts", id!, "NOTIFY");
    expect(message).toMatchObject({ classified_by: "classifier", reason: "The model decided." });
    expect(model.requests[0]?.system).toContain("Sort by size.");
    expect(await home.owner.read("/message-policy")).toMatchObject({ text: "Sort by size." });
  });

  it("shows the policy that ships, and every version after it", async () => {
    const { home } = await createScene();
    const { versions: before } = await home.owner.read("/message-policy/versions");
    await expectOkJson(await put(home.owner, "/message-policy", { policy: "Sort by size." }));
    const { versions } = await home.owner.read("/message-policy/versions");
    expect(versions.length).toBe(before.length + 1);
  });

  it("stores rules, which decide first", async () => {
    const { home, model } = await createScene(OPENAI);
    const rules = [{ words: ["sale"], tier: "DECLINE", note: "We buy nothing." }];
    expect(await expectOkJson(await put(home.owner, "/message-rules", { rules }))).toEqual({
      rules,
    });
    const [id] = await receive(home, "alerts", [1, { subject: "Big SALE" }]);
    const message = await waitForTier(home.owner, "alerts", id!, "DECLINE");
    expect(message).toMatchObject({ classified_by: "rule", reason: "We buy nothing." });
    expect(model.requests).toEqual([]);
    expect(
      await readRefusal(await put(home.owner, "/message-rules", { rules: [{ tier: "IGNORE" }] })),
    ).toBe("400 bad_field");
  });

  it("lets an agent with the path classify what waits, and no other", async () => {
    const { home } = await createScene();
    const [id] = await receive(home, "alerts", [1]);
    await waitForTier(home.owner, "alerts", id!, "DEFER");
    const path = `/sources/alerts/messages/${id}/verdict`;
    const body = { verdict: "TIER: IGNORE\nREASON: Nothing happened." };
    const reader = await createLimitedAgent(home, ["msg/alerts"]);
    const sorter = await createLimitedAgent(home, ["msg/alerts", "msg/classify"]);
    expect(await readRefusal(await reader.post(path, body))).toBe("403 wrong_role");
    expect(await readRefusal(await home.agent.post(path, body))).toMatch(/^40[34] /);
    expect(await readRefusal(await sorter.post(path, { verdict: "spam" }))).toBe("422 bad_verdict");
    expect(await expectOkJson(await sorter.post(path, body))).toMatchObject({
      tier: "IGNORE",
      classified_by: "agent",
    });
    const correction = { tier: "NOTIFY" };
    const correct = `/sources/alerts/messages/${id}/correct`;
    expect(await readRefusal(await sorter.post(correct, correction))).toBe("403 wrong_role");
    expect(await readRefusal(await sorter.post("/sources/doors/messages/m_1/verdict", body))).toBe(
      "404 not_found",
    );
  });

  it("refuses a limited agent every change of policy and rules, and dry runs", async () => {
    const { home } = await createScene(OPENAI);
    const sorter = await createLimitedAgent(home, ["msg", "msg/*/outbox", "msg/classify"]);
    expect(await readRefusal(await put(sorter, "/message-policy", { policy: "x" }))).toBe(
      "403 wrong_role",
    );
    expect(await readRefusal(await put(sorter, "/message-rules", { rules: [] }))).toBe(
      "403 wrong_role",
    );
    expect(await readRefusal(await sorter.post("/message-policy/dry-run", { policy: "x" }))).toBe(
      "403 wrong_role",
    );
  });

  it("makes a rule of the second correction of a sender", async () => {
    const { home } = await createScene(OPENAI);
    const [one, two] = await receive(home, "alerts", [1], [2]);
    for (const id of [one, two]) {
      await waitForTier(home.owner, "alerts", id!, "DEFER");
      const path = `/sources/alerts/messages/${id}/correct`;
      await expectOkJson(await home.owner.post(path, { tier: "NOTIFY" }));
    }
    await waitUntil(async () =>
      expect((await home.owner.read("/message-rules")).rules).toMatchObject([
        { sender: "ann@elsewhere.test", tier: "NOTIFY" },
      ]),
    );
    const [three] = await receive(home, "doors", [3]);
    const message = await waitForTier(home.owner, "doors", three!, "NOTIFY");
    expect(message).toMatchObject({ classified_by: "rule" });
  });

  it("shows what another policy would do to the newest messages of all sources", async () => {
    const { home } = await createScene(OPENAI);
    const [first] = await receive(home, "alerts", [1]);
    await waitForTier(home.owner, "alerts", first!, "DEFER");
    const [second] = await receive(home, "doors", [2]);
    await waitForTier(home.owner, "doors", second!, "DEFER");
    const trial = { policy: "Ignore everything.", limit: 100 };
    const run = await expectOkJson(await home.owner.post("/message-policy/dry-run", trial));
    // Both arrived within a second, so that either is the newest.
    expect(run.messages).toHaveLength(2);
    expect(run.messages).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ source: "doors", id: second, before: "DEFER", after: "IGNORE" }),
        expect.objectContaining({ source: "alerts", id: first, before: "DEFER", after: "IGNORE" }),
      ]),
    );
    const single = { ...trial, limit: 1 };
    const newest = await expectOkJson(await home.owner.post("/message-policy/dry-run", single));
    expect(newest.messages).toHaveLength(1);
    expect(await home.owner.read(`/sources/alerts/messages/${first}`)).toMatchObject({
      tier: "DEFER",
    });
    expect(
      await readRefusal(
        await home.owner.post("/message-policy/dry-run", { ...trial, source: "absent" }),
      ),
    ).toBe("404 not_found");
  });
});
