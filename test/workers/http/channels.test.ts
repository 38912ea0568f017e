import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { expectNaming } from "../../support/naming.ts";
import { readHouseholdContents } from "../reliability/store-contents.ts";
import { expectOkJson, createFreshHousehold, readRefusal, type TestHousehold } from "../support.ts";

afterEach(() => vi.restoreAllMocks());

const put = ({ owner }: TestHousehold, name: string, value: unknown) =>
  owner.fetch(`/api/v1/secrets/${name}`, {
    method: "PUT",
    body: JSON.stringify({ value }),
    headers: { "Content-Type": "application/json" },
  });

const readAck = async (response: Response) => (await expectOkJson(response)).MESS[0].ack;

describe("/api/v1/secrets", () => {
  it("secrets can be set, and are never returned", async () => {
    const home = await createFreshHousehold();

    const { secret } = await expectOkJson(await put(home, "SLACK_BOT_TOKEN", "xoxb-canary"));

    expect(secret).toEqual({
      name: "SLACK_BOT_TOKEN",
      fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
      created: expect.any(String),
      updated: secret.created,
    });
    expect(await home.owner.read("/api/v1/secrets")).toEqual({ secrets: [secret] });
    const removed = await home.owner.fetch("/api/v1/secrets/SLACK_BOT_TOKEN", { method: "DELETE" });
    expect(await expectOkJson(removed)).toEqual({ removed: "SLACK_BOT_TOKEN" });
    expect(await home.owner.read("/api/v1/secrets")).toEqual({ secrets: [] });
  });

  it("only owners may set and list secrets", async () => {
    const home = await createFreshHousehold();
    for (const caller of [home.agent, home.ann]) {
      const tried = [
        caller.fetch("/api/v1/secrets"),
        caller.fetch("/api/v1/secrets/X", { method: "PUT", body: '{"value": "x"}' }),
        caller.fetch("/api/v1/secrets/X", { method: "DELETE" }),
      ];
      for (const response of tried)
        expect(await readRefusal(await response)).toBe("403 wrong_role");
    }
  });

  it.each([
    ["9X", "value", "400 bad_field"],
    ["X", "", "400 bad_field"],
    ["X", 5, "400 bad_field"],
    ["push.vapid", "value", "400 bad_field"],
  ])("the secret %s with the body %j is refused", async (name, value, refusal) => {
    const home = await createFreshHousehold();
    expect(await readRefusal(await put(home, name, value))).toBe(refusal);
    expect(await home.owner.read("/api/v1/secrets")).toEqual({ secrets: [] });
  });
});

describe("a config message with channels", () => {
  it("the ack of a config message names the secrets that are not set, and unknown settings", async () => {
    const { owner } = await createFreshHousehold();
    const { warnings } = await readAck(
      await owner.postBlocks({
        config: {
          executors: { ann: { notify: { slack: "U04ANN", pigeon: "coo" } } },
          dispatch: { slack: { bot_token: "${SLACK_BOT_TOKEN}", signing_secret: "s" } },
        },
      }),
    );
    expect(warnings).toEqual([
      expect.stringMatching(/\bexecutors\.ann\.notify\.pigeon\b/),
      expect.stringMatching(/\bSLACK_BOT_TOKEN\b/),
    ]);
  });

  it("a config message with an invalid address is refused with its path", async () => {
    const { owner } = await createFreshHousehold();
    const response = await owner.postBlocks({
      config: { executors: { ann: { notify: { sms: "1" } } } },
    });
    const { error } = await response.json<{ error: { code: string; path: string } }>();
    expect(error).toMatchObject({ code: "bad_field", path: "config.executors.ann.notify.sms" });
  });

  it("a configuration that is exported as YAML can be imported unchanged", async () => {
    const { owner } = await createFreshHousehold();
    const other = await createFreshHousehold();
    await expectOkJson(
      await owner.postBlocks({
        config: {
          executors: {
            ann: {
              capabilities: ["look"],
              notify: { telegram: 77, webhook: "https://a.example/x" },
            },
            robo: {
              notify: { webhook: { url: "https://r.example/", secret: "canary".repeat(4) } },
            },
            ben: null,
          },
          dispatch: { telegram: { bot_token: "canary" }, ladder: { urgent: "PT1M" } },
          agent_id: "scout",
        },
      }),
    );
    const toYaml = async (from: TestHousehold["owner"]) =>
      (await from.fetch("/api/v1/config", { headers: { Accept: "application/yaml" } })).text();
    const exported = await toYaml(owner);
    expect(exported).not.toContain("canary");

    await expectOkJson(await other.owner.postBlocks({ config: { executors: { ben: null } } }));
    const imported = await other.owner.fetch("/mess", {
      method: "POST",
      body: exported,
      headers: { "Content-Type": "application/yaml" },
    });

    expect((await readAck(imported)).warnings).toEqual([
      expect.stringMatching(/^agent_id\b/),
      expect.stringMatching(/\bTELEGRAM_BOT_TOKEN\b/),
      expect.stringMatching(/\bANN_WEBHOOK\b/),
      expect.stringMatching(/\bROBO_WEBHOOK_SECRET\b/),
      expect.stringContaining("/api/v1/channels/telegram/register"),
    ]);
    expect(await toYaml(other.owner)).toBe(exported);
  });
});

/** A file from other software, with unknown keys and settings. */
const FOREIGN = `
# kept beside the program
agent_id: harbor-agent

executors:
  pia-phone:
    name: "Pia's phone"
    capabilities: [look_around, carry_things]
    access: [boathouse, town]
    notify:
      slack: U04PIAPIA

  pump:
    capabilities: [bail_water]
    access: [boathouse/dock, boathouse/slip_way]
    notify:
      webhook: http://localhost:8080/pump/mess

routing:
  - match: { capability: bail_water }
    prefer: [pump]
  - default:
    prefer: [pia-phone]

dispatch:
  slack:
    bot_token: \${SLACK_BOT_TOKEN}
  webhook:
    secret: \${PUMP_SECRET}
`;
const PLAIN = `
executors:
  chandler:
    name: Chandler
    capabilities: [order_parts]
    notify:
      webhook: https://chandler.example.com/orders
  pia-phone:
    capabilities: [look_around]
    notify:
      telegram: 123456789
routing:
  - match: { capability: order_parts }
    prefer: [chandler]
  - default:
    prefer: [pia-phone]
`;

describe("a configuration file", () => {
  const take = ({ owner }: TestHousehold, body: string) =>
    owner.fetch("/api/v1/config", {
      method: "POST",
      body,
      headers: { "Content-Type": "application/yaml" },
    });
  const give = ({ owner }: TestHousehold) =>
    owner
      .fetch("/api/v1/config", { headers: { Accept: "application/yaml" } })
      .then((response) => response.text());

  it.each([
    ["with keys of another program", FOREIGN],
    ["with executors and routing only", PLAIN],
  ])(
    "the configuration file of %s is imported, and its export is imported elsewhere",
    async (_of, file) => {
      const [first, second] = [await createFreshHousehold(), await createFreshHousehold()];

      const { warnings } = await expectOkJson(await take(first, file));

      expect(warnings).toEqual(
        file === FOREIGN
          ? [
              expect.stringMatching(/^agent_id\b/),
              expect.stringMatching(/\bslack\b.*\bsigning_secret\b/),
              expect.stringMatching(/\bdispatch\.webhook\.secret\b/),
              expect.stringMatching(/\bSLACK_BOT_TOKEN\b/),
              expect.stringMatching(/\bPUMP_SECRET\b/),
            ]
          : [expect.stringMatching(/\bpia-phone\.notify\.telegram\b/)],
      );
      const given = await give(first);
      await expectOkJson(await take(second, given));
      expect(await give(second)).toBe(given);
      const { config } = await first.owner.read("/api/v1/config");
      expect(config.routing.default).toEqual(["pia-phone"]);
      if (file === FOREIGN) {
        expect(config).toMatchObject({
          agent_id: "harbor-agent",
          dispatch: {
            slack: { bot_token: "${SLACK_BOT_TOKEN}" },
            webhook: { secret: "${PUMP_SECRET}" },
          },
        });
      }
    },
  );

  it("only owners may send configuration files", async () => {
    const { agent } = await createFreshHousehold();
    expect(await readRefusal(await agent.post("/api/v1/config", {}))).toBe("403 wrong_role");
  });

  it("the answer to a configuration file names every unknown field, and the one that was likely meant", async () => {
    const home = await createFreshHousehold();

    const taken = await take(
      home,
      `
settings: { time_zon: Europe/Rome, coalesc: own, colour: blue, name: Villa }
routing:
  rules: [{ match: { capability: look }, prefr: [ann], prefer: [ann] }]
  defalt: [ann]
capabilities: { look: { descripton: Looks } }
`,
    );

    expect((await expectOkJson(taken)).warnings).toEqual([
      expectNaming("defalt", "routing", "default"),
      expectNaming("prefr", "routing rule", "prefer"),
      expectNaming("descripton", "capability", "description"),
      expectNaming("time_zon", "settings", "time_zone"),
      expectNaming("coalesc", "settings", "coalesce"),
      expectNaming("colour", "settings"),
    ]);
  });

  it("a configuration file that cannot be parsed changes nothing", async () => {
    const home = await createFreshHousehold();
    const before = await give(home);
    for (const body of ["- [a list]", "executors: [1]", "executors: {x: {notify: {sms: 1}}}"]) {
      expect((await take(home, body)).status).toBe(400);
    }
    expect(await give(home)).toBe(before);
  });
});

describe("secrets of channels", () => {
  it("secrets of channels appear in no store, log or response", async () => {
    const printed: string[] = [];
    for (const level of ["log", "info", "warn", "error", "debug"] as const) {
      vi.spyOn(console, level).mockImplementation((...args) => printed.push(args.join(" ")));
    }
    const home = await createFreshHousehold();
    const { owner, agent, ann } = home;
    const answers: string[] = [];
    const recordAnswer = async (response: Promise<Response>) =>
      answers.push(await (await response).text());
    const dispatch = { slack: { bot_token: "xoxb-canary-1", signing_secret: "canary-2" } };

    await recordAnswer(put(home, "OWN", "canary-3"));
    await recordAnswer(put(home, "OWN", { canary: "canary-4" }));
    await recordAnswer(owner.postBlocks({ config: { dispatch } }));
    await recordAnswer(agent.postBlocks({ config: { dispatch } }));
    await recordAnswer(
      owner.postBlocks({
        config: { dispatch, executors: { ann: { notify: { sms: "canary-5" } } } },
      }),
    );
    await recordAnswer(
      owner.postBlocks({ config: { dispatch: { slack: ["canary-6"], sms: { auth_token: [5] } } } }),
    );
    await recordAnswer(
      owner.fetch("/mess", {
        method: "POST",
        body: 'config: {dispatch: {slack: {bot_token: "canary-7',
      }),
    );
    await recordAnswer(
      owner.postBlocks({
        config: {
          executors: {
            robo: { notify: { mcp: { url: "https://r.example/", token: "canary-8" } } },
          },
        },
      }),
    );
    await agent.createThread("photograph the shelf", { requires: ["take-photo"] });
    for (const caller of [owner, agent, ann]) {
      for (const path of ["config", "secrets", "executors", "events"]) {
        await recordAnswer(caller.fetch(`/api/v1/${path}`));
      }
    }

    const stores = JSON.stringify(await readHouseholdContents(home.id), (_key, value: unknown) =>
      value instanceof ArrayBuffer ? new TextDecoder("latin1").decode(value) : value,
    );
    expect(stores).toContain("ROBO_MCP_TOKEN");
    expect(stores).not.toContain("canary");
    expect(printed.join("\n")).toContain("secret_put");
    expect(printed.join("\n")).not.toContain("canary");
    expect(answers.join("\n")).not.toContain("canary");
    expect(stores).not.toContain(env.MESS_SECRET);
  });
});

describe("/api/v1/presence", () => {
  const recordAnswer = (caller: TestHousehold["owner"], body: object) =>
    caller.fetch("/api/v1/presence", {
      method: "PUT",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json" },
    });

  it("a member sets its own presence, and owners set that of others", async () => {
    const { owner, ann, agent } = await createFreshHousehold();
    expect(await expectOkJson(await recordAnswer(ann, { state: "away" }))).toEqual({
      presence: { actor: "ann", state: "away" },
    });
    await expectOkJson(await recordAnswer(owner, { actor: "ben", state: "away", until: "2h" }));
    expect(await agent.read("/api/v1/presence")).toEqual({
      presence: [
        { actor: "ann", state: "away" },
        { actor: "ben", state: "away", until: expect.any(String) },
      ],
    });
    expect(await readRefusal(await recordAnswer(ann, { actor: "ben", state: "here" }))).toBe(
      "403 wrong_role",
    );
    expect(await readRefusal(await recordAnswer(ann, { state: "gone" }))).toBe("400 bad_field");
    expect(await readRefusal(await recordAnswer(ann, { state: "away", until: "1999-01-01" }))).toBe(
      "400 bad_time",
    );
  });
});
