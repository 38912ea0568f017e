/** The owner's policy, rules and corrections, by which the messages of all sources are classified. */
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import type { ClassifierExample } from "../../../../src/contracts/household-sources.ts";
import { SECRETARY_POLICY } from "../../../../src/mess/sources/secretary.ts";
import type { ClassifierRule } from "../../../../src/mess/sources/rules.ts";
import { getSourceStub } from "../../../../src/stubs.ts";
import { getCode, unwrap } from "../../outcomes.ts";
import { configureHousehold, getConfigRefusal } from "../support.ts";
import { addKey, createSourceHousehold } from "./support.ts";

const RULES: ClassifierRule[] = [{ domain: "bank.test", tier: "NOTIFY", note: "Money" }];
const EXAMPLE: ClassifierExample = {
  source: "email",
  message: "m_1",
  sender: "shop@news.test",
  excerpt: "50 % off",
  tier: "IGNORE",
};

test("a household has the policy that ships until an owner writes one", async () => {
  const { rpc, owner } = await createSourceHousehold();

  expect(unwrap(await rpc.sources.getPolicy(owner))).toMatchObject({
    version: 0,
    text: SECRETARY_POLICY,
    author: "exchange",
  });
});

test("each change of the policy is a version, and a repeated text is none", async () => {
  const { rpc, owner } = await createSourceHousehold();

  unwrap(await rpc.sources.setPolicy(owner, "Notify about everything."));
  unwrap(await rpc.sources.setPolicy(owner, "Notify about nothing."));
  const current = unwrap(await rpc.sources.setPolicy(owner, "Notify about nothing."));

  expect(current).toMatchObject({ version: 2, text: "Notify about nothing.", author: "olga" });
  const history = unwrap(await rpc.sources.listPolicies(owner));
  expect(history.map(({ version, author }) => [version, author])).toEqual([
    [2, "olga"],
    [1, "olga"],
    [0, "exchange"],
  ]);
  const { entries } = await rpc.audit.listEntries(undefined, 2);
  expect(entries).toMatchObject([
    { action: "policy_changed", actor: "olga", detail: { version: 2 } },
    { action: "policy_changed", actor: "olga", detail: { version: 1 } },
  ]);
});

test.for(["", "  ", "x".repeat(20_001)])(
  "a policy that is empty or too long is refused",
  async (text) => {
    const { rpc, owner } = await createSourceHousehold();

    expect(getCode(await rpc.sources.setPolicy(owner, text))).toBe("bad_field");
    expect(unwrap(await rpc.sources.getPolicy(owner)).version).toBe(0);
  },
);

test("rules are replaced as a whole, and an invalid list changes nothing", async () => {
  const { rpc, owner } = await createSourceHousehold();
  unwrap(await rpc.sources.setRules(owner, RULES));

  const refused = await rpc.sources.setRules(owner, [{ tier: "NOTIFY" }]);

  expect(getCode(refused)).toBe("bad_field");
  expect(unwrap(await rpc.sources.listRules(owner))).toEqual(RULES);
  unwrap(await rpc.sources.setRules(owner, []));
  expect(unwrap(await rpc.sources.listRules(owner))).toEqual([]);
  const { entries } = await rpc.audit.listEntries(undefined, 2);
  expect(entries.map(({ action, detail }) => [action, detail])).toEqual([
    ["rules_changed", { rules: 0 }],
    ["rules_changed", { rules: 1 }],
  ]);
});

test("no limited key changes the policy or the rules, and one for a single source reads neither", async () => {
  const home = await createSourceHousehold();
  const { sources } = home.rpc;
  const client = await addKey(home, "bob", "agent", ["msg", "msg/*/outbox", "msg/classify"]);
  const reader = await addKey(home, "bob", "agent", ["msg/email", "msg/email/outbox"]);
  const agent = await addKey(home, "bob", "agent");

  for (const caller of [client, reader, agent]) {
    expect(getCode(await sources.setPolicy(caller, "Approve everything."))).toBe("wrong_role");
    expect(getCode(await sources.setRules(caller, RULES))).toBe("wrong_role");
  }
  const codes = async (caller: typeof client) => [
    getCode(await sources.getPolicy(caller)),
    getCode(await sources.listPolicies(caller)),
    getCode(await sources.listRules(caller)),
  ];
  expect(await codes(client)).toEqual(["ok", "ok", "ok"]);
  expect(await codes(reader)).toEqual(Array(3).fill("wrong_role"));
  expect(await codes(agent)).toEqual(Array(3).fill("wrong_role"));
});

test("the context of a classification has the opened key of the classifier", async () => {
  const home = await createSourceHousehold();
  const classifier = {
    kind: "openai",
    url: "https://ai.test/v1",
    model: "small",
    api_key: "sk-not-real",
  };
  await configureHousehold(home, { messages: { classifier }, settings: { name: "The Kims" } });
  unwrap(await home.rpc.sources.setRules(home.owner, RULES));

  const context = await home.rpc.sources.getClassification();

  expect(context).toMatchObject({
    classifier,
    rules: RULES,
    policy: { version: 0 },
    examples: [],
    household_name: "The Kims",
    zone: "UTC",
  });
  const exported = JSON.stringify(await home.rpc.settings.exportConfiguration());
  expect(exported).toContain("${MESSAGES_CLASSIFIER_API_KEY}");
  expect(exported).not.toContain("sk-not-real");
});

test("a classifier whose key is lost is none, and null removes it", async () => {
  const home = await createSourceHousehold();
  const classifier = { kind: "openai", url: "https://ai.test", model: "m", api_key: "${AI_KEY}" };

  const warnings = await configureHousehold(home, { messages: { classifier } });
  const before = await home.rpc.sources.getClassification();
  unwrap(await home.rpc.secrets.putSecret("AI_KEY", "k-1"));
  const complete = await home.rpc.sources.getClassification();
  await configureHousehold(home, { messages: { classifier: null } });
  const after = await home.rpc.sources.getClassification();

  expect(warnings).toContain("the secret AI_KEY is not set");
  expect(before.classifier).toBeUndefined();
  expect(complete.classifier).toMatchObject({ api_key: "k-1" });
  expect(after.classifier).toBeUndefined();
});

test.for<[object, string]>([
  [{ classifier: { kind: "oracle" } }, "config.messages.classifier.kind"],
  [{ classifier: { kind: "openai", model: "m" } }, "config.messages.classifier.url"],
  [{ digest: ["8:00"] }, "config.messages.digest.0"],
  [{ digest: ["24:00"] }, "config.messages.digest.0"],
  [{ owners: [] }, "config.messages.owners"],
  [{ polcy: "x" }, "config.messages"],
  [{ policy: " " }, "config.messages.policy"],
  [{ rules: [{ tier: "NOTIFY" }] }, "config.messages.rules.0"],
  [{ examples: [{ ...EXAMPLE, source: "../x" }] }, "config.messages.examples.0.source"],
])("invalid settings of messages are refused with their path: %j", async ([messages, path]) => {
  const home = await createSourceHousehold({});

  expect(await getConfigRefusal(home, { messages: { ...messages } })).toEqual({
    code: "bad_field",
    path,
  });
});

test("a correction is an example once for each message, and two alike make a rule", async () => {
  const { rpc, owner } = await createSourceHousehold();

  await rpc.sources.addExample({ ...EXAMPLE, tier: "DECLINE" });
  await rpc.sources.addExample(EXAMPLE);
  const first = await rpc.sources.getClassification();
  await rpc.sources.addExample({ ...EXAMPLE, message: "m_2" });
  const second = await rpc.sources.getClassification();

  expect(first.examples).toEqual([EXAMPLE]);
  expect(first.rules).toEqual([]);
  expect(second.examples).toHaveLength(2);
  expect(second.rules).toMatchObject([{ sender: "shop@news.test", tier: "IGNORE" }]);
  expect(unwrap(await rpc.sources.listRules(owner))).toEqual(second.rules);
});

test("the classifier sees the newest 50 examples, and none of a source that was removed", async () => {
  const { rpc, owner } = await createSourceHousehold();
  for (let n = 0; n < 55; n++)
    await rpc.sources.addExample({ ...EXAMPLE, message: `m_${n}`, sender: `s${n}@news.test` });

  const { examples } = await rpc.sources.getClassification();
  unwrap(await rpc.sources.remove(owner, "email"));
  await rpc.sources.addExample(EXAMPLE);
  const after = await rpc.sources.getClassification();

  expect(examples).toHaveLength(50);
  expect(examples.at(-1)).toMatchObject({ message: "m_54" });
  expect(after.examples).toEqual([]);
});

test("an exported configuration brings policy, rules and examples into another household", async () => {
  const first = await createSourceHousehold();
  unwrap(await first.rpc.sources.setPolicy(first.owner, "Notify about ${EVERYTHING}."));
  unwrap(await first.rpc.sources.setRules(first.owner, RULES));
  await first.rpc.sources.addExample(EXAMPLE);
  const { messages } = await first.rpc.settings.exportConfiguration();
  const second = await createSourceHousehold();

  const warnings = await configureHousehold(second, { messages: messages! });

  expect(warnings).toEqual([]);
  expect(await second.rpc.sources.getClassification()).toMatchObject({
    policy: { version: 1, text: "Notify about ${EVERYTHING}." },
    rules: RULES,
    examples: [EXAMPLE],
  });
  expect((await second.rpc.settings.exportConfiguration())["messages"]).toEqual(messages);
});

test("null brings the policy that ships back, and removes rules and examples", async () => {
  const { rpc, owner, id } = await createSourceHousehold();
  unwrap(await rpc.sources.setPolicy(owner, "Notify about everything."));
  unwrap(await rpc.sources.setRules(owner, RULES));
  await rpc.sources.addExample(EXAMPLE);

  await configureHousehold(
    { id, rpc },
    { messages: { policy: null, rules: null, examples: null } },
  );

  expect(await rpc.sources.getClassification()).toMatchObject({
    policy: { text: SECRETARY_POLICY },
    rules: [],
    examples: [],
  });
});

test("messages that wait for a classifier are classified when the owner's rules change", async () => {
  const { id, rpc, owner } = await createSourceHousehold();
  const { messages } = getSourceStub(env, id, "email");
  const [{ id: message } = { id: "" }] = unwrap(
    await messages.receive([
      {
        external_id: "<1@bank.test>",
        sender: "desk@bank.test",
        recipient: "home@mess.test",
        body: "Please call us.",
        timestamp: Date.now(),
        headers: [],
        channel: "desk@bank.test",
        attachments: [],
      },
    ]),
  );
  const expectVerdict = (verdict: object) =>
    vi.waitFor(async () => expect(unwrap(await messages.read(message))).toMatchObject(verdict), {
      timeout: 10_000,
    });
  await expectVerdict({ tier: "DEFER", provisional: true });

  unwrap(await rpc.sources.setRules(owner, RULES));

  await expectVerdict({ tier: "NOTIFY", classified_by: "rule" });
  await vi.waitFor(
    async () =>
      expect(unwrap(await rpc.sources.listNotices(owner, 0, 10)).notices).toMatchObject([
        { message, tier: "NOTIFY" },
      ]),
    { timeout: 10_000 },
  );
});
