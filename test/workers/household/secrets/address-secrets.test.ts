/** Secrets in addresses and in unknown channels: sealed on arrival, and in data stored by earlier versions. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Json, JsonMap } from "../../../../src/mess/json.ts";
import {
  configureHousehold,
  createHousehold,
  type HouseholdUnderTest,
  buildFakeWebhookSecret,
} from "../support.ts";

const getStub = (home: HouseholdUnderTest) => env.HOUSEHOLDS.getByName(home.id);

/** Every value in every table of the household. */
const dump = (home: HouseholdUnderTest): Promise<string> =>
  runInDurableObject(getStub(home), (_object, { storage }) =>
    storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .toArray()
      .filter(({ name }) => !name.startsWith("_cf_"))
      .flatMap(({ name }) => [...storage.sql.exec(`SELECT * FROM "${name}"`).raw()].flat())
      .map((value) =>
        value instanceof ArrayBuffer ? new TextDecoder("latin1").decode(value) : String(value),
      )
      .join("\n"),
  );

const MEMBERS: Readonly<Record<string, JsonMap>> = {
  roomba: { webhook: "https://roomba.example/hooks/canary-path?key=canary-query#canary-hash" },
  mower: {
    webhook: {
      url: "https://canary-user:canary-password@mower.example:8443/mess?token=canary-query",
      secret: buildFakeWebhookSecret("canary"),
      headers: { "X-Mower": "canary-header", Accept: ["canary-accept"] },
    },
  },
  printer: { mcp: "https://printer.example/canary-path/mcp?token=canary-query" },
  plotter: { mcp: { url: "https://plotter.example?token=canary-query", token: "canary-token" } },
  ann: { ntfy: "canary-topic-7c1f" },
  ben: { ntfy: "https://push.example.net/prefix/canary-topic" },
  cleo: {
    matrix: {
      room: "#home",
      homeserver: "https://matrix.example/_matrix?access=canary-query",
      auth: { user: "@cleo:matrix.example", device: "canary-auth" },
      accessToken: "canary-camel-case",
      "x-api-key": "canary-dashes",
    },
    gotify: "https://gotify.example/message?token=canary-query",
    apprise: ["tgram://canary-host/12345", "carrier pigeon"],
    pushover: "uQiRzpo4DXghDmr9QzzfQu27cmVRsG1canary",
    beeper: "Bearer canary-bearer",
    auth: "canary-channel",
    pigeon: "coo",
  },
};

const DISPATCH: JsonMap = {
  ntfy: { api: "https://canary-user@ntfy.example.org/canary-prefix/", token: "canary-token" },
  slack: { bot_token: "canary-bot", signing_secret: "canary-signing", colour: "green" },
  mqtt: { broker: "mqtts://canary-user:canary-password@mqtt.example", topic: "home/tasks" },
  alerts: [{ webhook: "https://alerts.example/canary-path" }, { ntfy: "canary-alerts" }],
  ladder: { urgent: "2m" },
};

const whole: JsonMap = {
  executors: Object.fromEntries(
    Object.entries(MEMBERS).map(([id, notify]) => [id, { capabilities: ["look"], notify }]),
  ),
  dispatch: DISPATCH,
};

/** The members' addresses with their secrets, as used by deliveries. */
async function listReached({ rpc }: HouseholdUnderTest): Promise<Json> {
  const who = Object.keys(MEMBERS);
  const members = await rpc.contacts.findContacts({ recipients: who, priority: "urgent" });
  const owners = await rpc.contacts.findContacts({ recipients: "owners", priority: "urgent" });
  return JSON.parse(
    JSON.stringify([
      members.contacts,
      owners.contacts,
      await rpc.contacts.getChannelSettings("ntfy"),
    ]),
  ) as Json;
}

/** Removes the parts that are generated for one household. */
const extractAddresses = (contacts: Json): Json =>
  JSON.parse(
    JSON.stringify(contacts, (key, value: unknown) => (key === "token_binding" ? null : value)),
  ) as Json;

const findAddress = async ({ rpc }: HouseholdUnderTest, who: string): Promise<Json | undefined> =>
  (await rpc.contacts.findContacts({ recipients: [who], priority: "normal" })).contacts[0]
    ?.addresses[0]?.address;

describe("an address in a config block", () => {
  it("an address in a config block is sealed except for its origin, and completed for its channel", async () => {
    const home = await createHousehold();

    await configureHousehold(home, whole);

    const exported = await home.rpc.settings.exportConfiguration();
    expect(await dump(home)).not.toContain("canary");
    expect(JSON.stringify([exported, await home.rpc.settings.listExecutors()])).not.toContain(
      "canary",
    );
    expect(exported["executors"]).toMatchObject({
      roomba: { notify: { webhook: "https://roomba.example/${ROOMBA_WEBHOOK}" } },
      mower: {
        notify: {
          webhook: {
            url: "https://${MOWER_WEBHOOK_URL_USER}@mower.example:8443/${MOWER_WEBHOOK_URL}",
            secret: "${MOWER_WEBHOOK_SECRET}",
          },
        },
      },
      printer: { notify: { mcp: "https://printer.example/${PRINTER_MCP}" } },
      plotter: { notify: { mcp: { url: "https://plotter.example?${PLOTTER_MCP_URL}" } } },
      ann: { notify: { ntfy: "${ANN_NTFY}" } },
      ben: { notify: { ntfy: "https://push.example.net/${BEN_NTFY}" } },
      cleo: {
        notify: {
          matrix: { room: "#home", homeserver: "https://matrix.example/${CLEO_MATRIX_HOMESERVER}" },
          apprise: ["${CLEO_APPRISE_1}", "carrier pigeon"],
          pigeon: "coo",
        },
      },
    });
    expect(exported["dispatch"]).toMatchObject({
      ntfy: { api: "https://${NTFY_API_USER}@ntfy.example.org/${NTFY_API}" },
      slack: { colour: "green" },
      mqtt: { topic: "home/tasks" },
      alerts: [{ webhook: "https://alerts.example/${ALERTS_WEBHOOK}" }, { ntfy: "${ALERTS_NTFY}" }],
      ladder: { urgent: "2m" },
    });
    expect(await findAddress(home, "roomba")).toBe(MEMBERS["roomba"]!["webhook"]);
    expect(await findAddress(home, "plotter")).toEqual(MEMBERS["plotter"]!["mcp"]);
    expect(await findAddress(home, "ann")).toBe("canary-topic-7c1f");
    expect(await home.rpc.contacts.getChannelSettings("ntfy")).toEqual(DISPATCH["ntfy"]);
  });

  it("an address with only an origin is shown unchanged", async () => {
    const home = await createHousehold();
    const notify = { webhook: "https://roomba.example/", mcp: { url: "http://localhost:8080" } };

    await configureHousehold(home, { executors: { roomba: { notify } } });

    expect((await home.rpc.settings.exportConfiguration())["executors"]).toMatchObject({
      roomba: { notify },
    });
    expect(await home.rpc.secrets.listSecrets()).toEqual([]);
  });

  it("an address keeps references that the owner wrote, and its other parts are sealed", async () => {
    const home = await createHousehold();
    await home.rpc.secrets.putSecret("ROOMBA_KEY", "first");
    const webhook = "https://roomba.example/canary/${ROOMBA_KEY}?key=canary";

    await configureHousehold(home, { executors: { roomba: { notify: { webhook } } } });

    expect(await dump(home)).not.toContain("canary");
    expect(await findAddress(home, "roomba")).toBe(
      "https://roomba.example/canary/first?key=canary",
    );
    await home.rpc.secrets.putSecret("ROOMBA_KEY", "second");
    expect(await findAddress(home, "roomba")).toBe(
      "https://roomba.example/canary/second?key=canary",
    );
  });

  it("an address replaces the secret of the address before it, but none that an owner set by name", async () => {
    const home = await createHousehold();
    await home.rpc.secrets.putSecret("ROOMBA_WEBHOOK", "of the owner's own");
    const notify = (path: string) => ({
      executors: { roomba: { notify: { webhook: `https://r.example/${path}` } } },
    });

    await configureHousehold(home, notify("one"));
    await configureHousehold(home, notify("two"));

    expect(await findAddress(home, "roomba")).toBe("https://r.example/two");
    expect((await home.rpc.secrets.listSecrets()).map(({ name }) => name)).toEqual([
      "ROOMBA_WEBHOOK",
      "ROOMBA_WEBHOOK_2",
    ]);
    await configureHousehold(home, {
      executors: { ann: { notify: { matrix: { room: "${ROOMBA_WEBHOOK}" } } } },
    });
    await configureHousehold(home, { executors: { roomba: null } });
    expect((await home.rpc.secrets.listSecrets()).map(({ name }) => name)).toEqual([
      "ROOMBA_WEBHOOK",
    ]);
  });

  it("an address that cannot be completed disables its channel instead of using the default server", async () => {
    const home = await createHousehold();
    await configureHousehold(home, whole);

    await home.rpc.secrets.removeSecret("NTFY_API");
    await home.rpc.secrets.removeSecret("ROOMBA_WEBHOOK");

    expect(await home.rpc.contacts.getChannelSettings("ntfy")).toBeNull();
    expect(await findAddress(home, "roomba")).toBeUndefined();
  });
});

describe("a configuration that is exported and imported again", () => {
  it("an export and import of the configuration keeps every secret, and a second export is the same", async () => {
    const home = await createHousehold();
    await configureHousehold(home, whole);
    const [exported, before] = [
      await home.rpc.settings.exportConfiguration(),
      await listReached(home),
    ];

    const warnings = await configureHousehold(home, exported);

    expect(warnings.filter((one) => one.includes("is not set"))).toEqual([]);
    expect(await home.rpc.settings.exportConfiguration()).toEqual(exported);
    expect(await listReached(home)).toEqual(before);
    expect(JSON.stringify(before)).toContain("canary-query");
  });
});

/** The data that earlier versions stored in plain text: everything except the secrets that they recognized. */
async function storeInClear(home: HouseholdUnderTest): Promise<void> {
  await configureHousehold(home, {
    executors: Object.fromEntries(Object.keys(MEMBERS).map((id) => [id, { notify: {} }])),
  });
  await runInDurableObject(getStub(home), (_object, { storage }) => {
    const { sql } = storage;
    for (const [id, notify] of Object.entries(MEMBERS))
      sql.exec(
        "UPDATE members SET executor = json_set(executor, '$.notify', json(?)) WHERE id = ?",
        JSON.stringify(notify),
        id,
      );
    sql.exec(
      "INSERT OR REPLACE INTO settings (key, value) VALUES ('dispatch', ?)",
      JSON.stringify(DISPATCH),
    );
    sql.exec("DELETE FROM settings WHERE key = 'sealing'");
  });
  await evictDurableObject(getStub(home));
}

describe("a configuration stored in plain text", () => {
  const createFresh = async (): Promise<HouseholdUnderTest> => {
    const home = await createHousehold();
    await home.rpc.secrets.putSecret("ANN_NTFY", "of the owner's own");
    await storeInClear(home);
    return home;
  };

  it("a configuration stored in plain text is sealed by the next read, and its addresses still work", async () => {
    const [home, other] = [await createFresh(), await createHousehold()];
    await configureHousehold(other, whole);

    const exported = await home.rpc.settings.exportConfiguration();

    expect(JSON.stringify(exported)).not.toContain("canary");
    expect(await dump(home)).not.toContain("canary");
    expect(extractAddresses(await listReached(home))).toEqual(
      extractAddresses(await listReached(other)),
    );
    expect(exported["executors"]).toMatchObject({
      roomba: { notify: { webhook: "https://roomba.example/${ROOMBA_WEBHOOK}" } },
      ann: { notify: { ntfy: "${ANN_NTFY_2}" } },
    });
    await evictDurableObject(getStub(home));
    expect(await home.rpc.settings.exportConfiguration()).toEqual(exported);
  });

  it("a configuration stored in plain text is sealed by the next alarm", async () => {
    const home = await createFresh();
    await runInDurableObject(getStub(home), (_object, { storage }) =>
      storage.setAlarm(Date.now() + 60_000),
    );
    // The instance that set the alarm has sealed the data, so the alarm must run in a new one.
    await storeInClear(home);

    await runDurableObjectAlarm(getStub(home));

    expect(await dump(home)).not.toContain("canary");
  });
});
