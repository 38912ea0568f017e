/** Secrets of channels: sealed on arrival, and decrypted only for their channel. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { expectNaming } from "../../../support/naming.ts";
import {
  getCode,
  configureHousehold,
  createHousehold,
  type HouseholdUnderTest,
  buildFakeWebhookSecret,
  getConfigRefusal,
} from "../support.ts";

/** Every value in every table of the household, bytes also as text. */
const dump = (home: HouseholdUnderTest): Promise<string> =>
  runInDurableObject(env.HOUSEHOLDS.getByName(home.id), (_object, { storage }) => {
    const tables = storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .toArray()
      .filter(({ name }) => !name.startsWith("_cf_"));
    const rows = tables.flatMap(({ name }) => [
      ...storage.sql.exec(`SELECT * FROM "${name}"`).raw(),
    ]);
    return rows
      .flat()
      .map((value) =>
        value instanceof ArrayBuffer ? String.fromCharCode(...new Uint8Array(value)) : value,
      )
      .join("\n");
  });

const SLACK = { bot_token: "${SLACK_BOT_TOKEN}", signing_secret: "${SLACK_SIGNING_SECRET}" };

describe("a secret", () => {
  it("a secret is listed by name and fingerprint, and decrypted only for its channel", async () => {
    const home = await createHousehold();
    const put = await home.rpc.secrets.putSecret("SLACK_BOT_TOKEN", "xoxb-canary-1");
    await home.rpc.secrets.putSecret("SLACK_SIGNING_SECRET", "canary-2");
    await configureHousehold(home, { dispatch: { slack: SLACK } });

    expect(put).toMatchObject({ ok: true, value: { name: "SLACK_BOT_TOKEN" } });
    const listed = await home.rpc.secrets.listSecrets();
    expect(listed.map(({ name }) => name)).toEqual(["SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET"]);
    expect(listed[0]!.fingerprint).toMatch(/^[0-9a-f]{12}$/);
    expect(JSON.stringify(listed)).not.toContain("canary");
    expect(await dump(home)).not.toContain("canary");
    expect(await home.rpc.contacts.getChannelSettings("slack")).toEqual({
      bot_token: "xoxb-canary-1",
      signing_secret: "canary-2",
    });
    await evictDurableObject(env.HOUSEHOLDS.getByName(home.id));
    expect(await home.rpc.contacts.getChannelSettings("slack")).toMatchObject({
      signing_secret: "canary-2",
    });
  });

  it("the dump of these tests would find a secret that is stored in plain text", async () => {
    const home = await createHousehold();
    await home.rpc.secrets.putSecret("ONE", "x");
    await runInDurableObject(env.HOUSEHOLDS.getByName(home.id), (_object, { storage }) => {
      storage.sql.exec("UPDATE secrets SET sealed = ?", new TextEncoder().encode("canary").buffer);
    });
    expect(await dump(home)).toContain("canary");
  });

  it("a secret's fingerprint depends on its value and its name", async () => {
    const home = await createHousehold();
    const print = async (name: string, value: string) => {
      const put = await home.rpc.secrets.putSecret(name, value);
      return put.ok ? put.value.fingerprint : "";
    };

    const first = await print("ONE", "a");

    expect(await print("ONE", "b")).not.toBe(first);
    expect(await print("ONE", "a")).toBe(first);
    expect(await print("TWO", "a")).not.toBe(first);
  });

  it("a secret copied from another household cannot be decrypted", async () => {
    const [first, second] = [await createHousehold(), await createHousehold()];
    await first.rpc.secrets.putSecret("TELEGRAM", "canary");
    await second.rpc.secrets.putSecret("TELEGRAM", "own");
    await second.rpc.settings.configure({ dispatch: { telegram: { bot_token: "${TELEGRAM}" } } });
    const rows = await runInDurableObject(env.HOUSEHOLDS.getByName(first.id), (_object, state) =>
      state.storage.sql.exec("SELECT iv, sealed FROM secrets").toArray(),
    );

    await runInDurableObject(env.HOUSEHOLDS.getByName(second.id), (_object, state) => {
      state.storage.sql.exec("UPDATE secrets SET iv = ?, sealed = ?", rows[0]!.iv, rows[0]!.sealed);
    });

    expect(await second.rpc.contacts.getChannelSettings("telegram")).toBeNull();
    expect(await second.rpc.secrets.listSecrets()).toMatchObject([
      { name: "TELEGRAM", unreadable: true },
    ]);
    await second.rpc.secrets.putSecret("TELEGRAM", "new");
    expect(await second.rpc.secrets.listSecrets()).not.toMatchObject([{ unreadable: true }]);
  });

  it("a channel whose secret is missing or was removed is not used", async () => {
    const home = await createHousehold();

    const warnings = await configureHousehold(home, { dispatch: { slack: SLACK } });

    expect(warnings).toEqual([
      expectNaming("SLACK_BOT_TOKEN"),
      expectNaming("SLACK_SIGNING_SECRET"),
    ]);
    expect(await home.rpc.contacts.getChannelSettings("slack")).toBeNull();
    await home.rpc.secrets.putSecret("SLACK_BOT_TOKEN", "a");
    await home.rpc.secrets.putSecret("SLACK_SIGNING_SECRET", "b");
    expect(await home.rpc.contacts.getChannelSettings("slack")).toEqual({
      bot_token: "a",
      signing_secret: "b",
    });
    expect(getCode(await home.rpc.secrets.removeSecret("SLACK_BOT_TOKEN"))).toBe("ok");
    expect(getCode(await home.rpc.secrets.removeSecret("SLACK_BOT_TOKEN"))).toBe("not_found");
    expect(await home.rpc.contacts.getChannelSettings("slack")).toBeNull();
  });

  it.each([
    ["", "x"],
    ["9LIVES", "x"],
    ["with space", "x"],
    ["push.vapid", "x"],
    ["EMPTY", ""],
    ["LONG", "x".repeat(9_000)],
  ])("a secret with an invalid name or value is refused: %j", async (name, value) => {
    const { rpc } = await createHousehold();
    expect(getCode(await rpc.secrets.putSecret(name, value))).toBe("bad_field");
    expect(await rpc.secrets.listSecrets()).toEqual([]);
  });

  it("a secret that is invalid for the setting that refers to it is refused with that path and a hint, and is not shown", async () => {
    const home = await createHousehold();
    const webhook = { url: "https://roomba.example/mess", secret: "${ROOMBA}" };
    await configureHousehold(home, { executors: { roomba: { notify: { webhook } } } });
    await home.rpc.secrets.putSecret("ROOMBA", buildFakeWebhookSecret("first"));

    const put = await home.rpc.secrets.putSecret("ROOMBA", "hunter2");

    expect(put).toMatchObject({
      ok: false,
      error: {
        code: "bad_field",
        path: "config.executors.roomba.notify.webhook.secret",
        hint: expect.stringContaining("whsec_"),
      },
    });
    expect(JSON.stringify(put)).not.toContain("hunter2");
    const { contacts } = await home.rpc.contacts.findContacts({
      recipients: ["roomba"],
      priority: "normal",
    });
    expect(contacts[0]?.addresses).toMatchObject([
      { address: { secret: buildFakeWebhookSecret("first") } },
    ]);
    const config = {
      executors: { moppy: { notify: { webhook: { ...webhook, secret: "hunter2" } } } },
    };
    expect(await home.rpc.settings.configure(config)).toMatchObject({
      error: { hint: expect.stringContaining("whsec_") },
    });
  });
});

describe("secrets written into a config block", () => {
  const written: JsonMap = {
    executors: {
      ann: { capabilities: ["look"], notify: { slack: "U04ANN", push: true } },
      "roomba-kitchen": {
        notify: {
          webhook: {
            url: "https://roomba.example/mess",
            secret: buildFakeWebhookSecret("canary"),
            body: "json",
          },
          mcp: { url: "https://roomba.example/mcp", token: "canary-mcp" },
        },
      },
      family: { notify: { discord: "https://discord.com/api/webhooks/1/canary-discord" } },
      bea: { notify: { matrix: { access_token: "canary-matrix" } } },
    },
    dispatch: {
      slack: { bot_token: "canary-bot", signing_secret: "canary-signing" },
      telegram: { bot_token: "canary-telegram" },
      sms: { account_sid: "AC1", auth_token: "canary-sms", from: "+15550100" },
      webhook: { secret: "${MESS_SECRET}" },
      alerts: { google_chat: "https://chat.googleapis.com/v1/canary-chat" },
    },
  };

  it("secrets written into a config block are sealed and replaced by references", async () => {
    const home = await createHousehold();

    const warnings = await configureHousehold(home, written);

    expect(await dump(home)).not.toContain("canary");
    const exported = await home.rpc.settings.exportConfiguration();
    expect(JSON.stringify(exported)).not.toContain("canary");
    expect(exported["dispatch"]).toEqual({
      slack: SLACK,
      telegram: { bot_token: "${TELEGRAM_BOT_TOKEN}" },
      sms: { account_sid: "AC1", auth_token: "${SMS_AUTH_TOKEN}", from: "+15550100" },
      webhook: { secret: "${MESS_SECRET}" },
      alerts: { google_chat: "${ALERTS_GOOGLE_CHAT}" },
    });
    expect(exported["executors"]).toMatchObject({
      "roomba-kitchen": {
        notify: {
          webhook: { secret: "${ROOMBA_KITCHEN_WEBHOOK_SECRET}", body: "json" },
          mcp: { token: "${ROOMBA_KITCHEN_MCP_TOKEN}" },
        },
      },
      family: { notify: { discord: "${FAMILY_DISCORD}" } },
      bea: { notify: { matrix: { access_token: "${BEA_MATRIX_ACCESS_TOKEN}" } } },
    });
    expect(await home.rpc.contacts.getChannelSettings("sms")).toMatchObject({
      auth_token: "canary-sms",
    });
    expect(warnings).toEqual([
      expectNaming("dispatch.webhook.secret"),
      expectNaming("executors.bea.notify.matrix"),
      expectNaming("MESS_SECRET"),
      expect.stringContaining("/api/v1/channels/telegram/register"),
    ]);
  });

  it("secrets of a refused config block are not stored", async () => {
    const home = await createHousehold();

    const outcome = await getConfigRefusal(home, {
      dispatch: { slack: { bot_token: "canary", signing_secret: ["canary"] } },
    });

    expect(outcome).toEqual({ code: "bad_field", path: "config.dispatch.slack.signing_secret" });
    expect(await home.rpc.secrets.listSecrets()).toEqual([]);
    expect(await dump(home)).not.toContain("canary");
  });

  it("a new secret replaces the one of the same setting, and no other", async () => {
    const home = await createHousehold();
    const webhook = (secret: string) => ({
      webhook: { url: "https://a.example/", secret: buildFakeWebhookSecret(secret) },
    });
    await configureHousehold(home, { executors: { "a-b": { notify: webhook("one") } } });
    await configureHousehold(home, { executors: { "a.b": { notify: webhook("two") } } });
    await configureHousehold(home, { executors: { "a-b": { notify: webhook("three") } } });

    const { contacts } = await home.rpc.contacts.findContacts({
      recipients: ["a-b", "a.b"],
      priority: "normal",
    });

    expect(contacts.map(({ addresses }) => addresses[0]?.address)).toMatchObject([
      { secret: buildFakeWebhookSecret("three") },
      { secret: buildFakeWebhookSecret("two") },
    ]);
    expect((await home.rpc.secrets.listSecrets()).map(({ name }) => name)).toEqual([
      "A_B_WEBHOOK_SECRET",
      "A_B_WEBHOOK_SECRET_2",
    ]);
  });

  it("a secret from a config block is removed with the last reference; one set by name is not", async () => {
    const home = await createHousehold();
    await configureHousehold(home, written);
    await home.rpc.secrets.putSecret("OWN", "x");

    await configureHousehold(home, {
      executors: { "roomba-kitchen": null, family: null, bea: null },
      dispatch: { slack: null, sms: null, alerts: null },
    });

    expect((await home.rpc.secrets.listSecrets()).map(({ name }) => name)).toEqual([
      "OWN",
      "TELEGRAM_BOT_TOKEN",
    ]);
    expect((await home.rpc.settings.exportConfiguration())["dispatch"]).toEqual({
      telegram: { bot_token: "${TELEGRAM_BOT_TOKEN}" },
      webhook: { secret: "${MESS_SECRET}" },
    });
  });

  it("the secret of Telegram's webhook is generated once and sealed", async () => {
    const home = await createHousehold();
    await configureHousehold(home, { dispatch: { telegram: { bot_token: "t" } } });

    const settings = await home.rpc.contacts.getChannelSettings("telegram");

    expect(settings).toEqual({
      bot_token: "t",
      webhook_secret: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await home.rpc.contacts.getChannelSettings("telegram")).toEqual(settings);
    expect((await home.rpc.secrets.listSecrets()).map(({ name }) => name)).toEqual([
      "TELEGRAM_BOT_TOKEN",
    ]);
    expect(await dump(home)).not.toContain(settings!["webhook_secret"]);
  });
});
