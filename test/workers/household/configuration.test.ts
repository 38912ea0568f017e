/** Settings by owners: checked and stored as a whole, and read back unchanged. */
import { describe, expect, it } from "vitest";
import type { JsonMap } from "../../../src/mess/json.ts";
import { expectNaming } from "../../support/naming.ts";
import {
  configureHousehold,
  createHousehold,
  buildFakeWebhookSecret,
  getConfigRefusal,
} from "./support.ts";

describe("addresses and settings", () => {
  it.each<[JsonMap, string]>([
    [{ executors: { ann: { notify: { sms: "12" } } } }, "config.executors.ann.notify.sms"],
    [{ executor: { id: "ann", notify: { slack: "ann" } } }, "config.executor.notify.slack"],
    [
      { executors: [{ id: "ann", notify: [{ email: "ann" }] }] },
      "config.executors[0].notify[0].email",
    ],
    [
      { executors: { ann: { notify: { webhook: "http://a.example/" } } } },
      "config.executors.ann.notify.webhook",
    ],
    [
      { executors: { ann: { notify: { webhook: { url: "https://a.example:9000/" } } } } },
      "config.executors.ann.notify.webhook.url",
    ],
    [
      { executors: { ann: { notify: { webhook: { url: "ftp://a.example/" } } } } },
      "config.executors.ann.notify.webhook.url",
    ],
    [
      { executors: { ann: { notify: { webhook: { url: "https://a.example/", body: "xml" } } } } },
      "config.executors.ann.notify.webhook.body",
    ],
    [
      {
        executor: {
          id: "ann",
          notify: { webhook: { url: "https://a.example/", secret: "hunter2" } },
        },
      },
      "config.executor.notify.webhook.secret",
    ],
    [
      {
        dispatch: {
          alerts: { webhook: { url: "https://a.example/", secret: "whsec_dG9vIHNob3J0" } },
        },
      },
      "config.dispatch.alerts.webhook.secret",
    ],
    [{ executors: { ann: { notify: "slack" } } }, "config.executors.ann.notify"],
    [{ dispatch: { slack: "xoxb" } }, "config.dispatch.slack"],
    [
      { dispatch: { slack: { bot_token: "b", signing_secret: "s", api: "nowhere" } } },
      "config.dispatch.slack.api",
    ],
    [{ dispatch: { alerts: { telegram: "@" } } }, "config.dispatch.alerts.telegram"],
  ])("an invalid address or setting is refused with its path: %j", async (config, path) => {
    const home = await createHousehold();
    expect(await getConfigRefusal(home, config)).toEqual({ code: "bad_field", path });
    expect(await home.rpc.settings.listExecutors()).toEqual([]);
  });

  it("misspelt fields of a configuration and of an executor have a warning with the intended field", async () => {
    const home = await createHousehold();

    const warnings = await configureHousehold(home, {
      executr: { id: "ann" },
      executors: { ben: { capabilitys: ["look"] } },
    });

    expect(warnings).toEqual([
      expectNaming("executr", "executor"),
      expectNaming("capabilitys", "ben", "capabilities"),
    ]);
  });

  it("settings that are incomplete or unknown are stored with a warning each", async () => {
    const home = await createHousehold();
    const warnings = await configureHousehold(home, {
      dispatch: { sms: { account_sid: "AC1", auth_token: "x" }, email: {}, carrier_pigeon: 1 },
    });
    expect(warnings).toEqual([
      expectNaming("sms", "from"),
      expectNaming("email", "from"),
      expectNaming("dispatch.carrier_pigeon"),
    ]);
    expect(await home.rpc.contacts.getChannelSettings("sms")).toBeNull();
  });
});

describe("a configuration", () => {
  it("a configuration that would become too large is refused as a whole", async () => {
    const home = await createHousehold();
    const buildLargeConfig = (key: string): JsonMap => ({
      dispatch: { [key]: "x".repeat(200_000) },
    });
    await configureHousehold(home, buildLargeConfig("pigeons"));
    const before = await home.rpc.settings.exportConfiguration();

    expect(await getConfigRefusal(home, buildLargeConfig("ravens"))).toMatchObject({
      code: "too_large",
    });

    expect(await home.rpc.settings.exportConfiguration()).toEqual(before);
    await configureHousehold(home, { dispatch: { pigeons: null } });
    await configureHousehold(home, buildLargeConfig("ravens"));
  });
});

describe("export and import", () => {
  const plan: JsonMap = {
    agent_id: "claude-agent",
    settings: { name: "Nest", time_zone: "Europe/Rome", floors: 2 },
    executors: {
      "ann-phone": {
        name: "Ann's Phone",
        capabilities: ["visual_sensor", { mobility: { radius: "5km" } }],
        access: ["home", "harbor_town"],
        notify: { slack: "U04XXXXXX", telegram: 123456789, sms: "+1 555 0100", pigeon: "coo" },
        nickname: "A",
      },
      roomba: { capabilities: ["cleaning"], notify: { webhook: "http://localhost:8080/mess" } },
      proxy: {
        notify: {
          webhook: {
            url: "https://proxy.example/",
            secret: buildFakeWebhookSecret("s"),
            body: "yaml",
          },
          mcp: null,
        },
      },
      list: { notify: [{ ntfy: "topic" }, { push: true }] },
    },
    routing: [
      { match: { capability: "cleaning" }, prefer: ["roomba"], note: "noisy" },
      { default: { prefer: ["ann-phone"] } },
    ],
    capabilities: [{ id: "cleaning", description: "Clean", tags: ["home"], needs: ["power"] }],
    dispatch: {
      slack: { bot_token: "${SLACK_BOT_TOKEN}", colour: "green" },
      webhook: { secret: "${MESS_SECRET}" },
      ladder: { urgent: "2m", normal: "PT30M" },
      alerts: { slack: "C04ALERTS" },
      matrix: { room: "#home" },
    },
  };

  it("a configuration that is exported, imported and exported again stays equal", async () => {
    const [first, second] = [await createHousehold(), await createHousehold()];
    await configureHousehold(first, plan);
    const exported = await first.rpc.settings.exportConfiguration();

    await configureHousehold(second, exported);

    expect(await second.rpc.settings.exportConfiguration()).toEqual(exported);
    expect(exported).toMatchObject({
      agent_id: "claude-agent",
      settings: plan["settings"],
      dispatch: plan["dispatch"],
      capabilities: plan["capabilities"],
    });
    expect(exported["executors"]).toMatchObject({
      "ann-phone": {
        nickname: "A",
        notify: (plan["executors"] as Record<string, JsonMap>)["ann-phone"]!["notify"],
      },
      list: { notify: [{ ntfy: "${LIST_NTFY}" }, { push: true }] },
    });
  });

  it("dispatch.ladder sets the time of each step by priority", async () => {
    const home = await createHousehold();
    await configureHousehold(home, plan);
    const urgent = await home.rpc.threads.previewRoute({ intent: "x", priority: "urgent" });
    const normal = await home.rpc.threads.previewRoute({ intent: "x" });
    const background = await home.rpc.threads.previewRoute({ intent: "x", priority: "background" });
    expect([urgent, normal, background].map((one) => one.rung_seconds)).toEqual([
      120, 1_800, 14_400,
    ]);
    await configureHousehold(home, { dispatch: { ladder: { urgent: "45s" } } });
    expect(
      (await home.rpc.threads.previewRoute({ intent: "x", priority: "urgent" })).rung_seconds,
    ).toBe(45);
  });
});
