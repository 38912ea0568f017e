/** Message sources are registered by `config` blocks; each has an object with the household's record of it. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { getSourceStub } from "../../../../src/stubs.ts";
import { getCode, unwrap } from "../../outcomes.ts";
import {
  buildFakeWebhookSecret,
  configureHousehold,
  createHousehold,
  getConfigRefusal,
} from "../support.ts";
import { addKey, ALERTS, createSourceHousehold, MAIL } from "./support.ts";

test("a config block registers sources, whose objects know them when the call returns", async () => {
  const { id, rpc, owner } = await createSourceHousehold();

  const listed = unwrap(await rpc.sources.list(owner));
  expect(listed).toMatchObject([
    { name: "alerts", kind: "webhook", status: "connected", can_send: false },
    {
      name: "email",
      kind: "email",
      title: "Family mail",
      can_send: true,
      address: `email.${id}@mess.test`,
    },
  ]);
  const status = unwrap(await getSourceStub(env, id, "email").messages.status());
  expect(status).toMatchObject({ source: "email", kind: "email", can_send: true, messages: 0 });
});

test("the secrets of a source are sealed, exported as references, and opened for its object", async () => {
  const { rpc } = await createSourceHousehold();

  const exported = await rpc.settings.exportConfiguration();
  expect(exported["sources"]).toEqual({
    email: MAIL,
    alerts: { kind: "webhook", secret: "${SOURCE_ALERTS_SECRET}" },
  });
  expect(await rpc.sources.openSettings("alerts")).toMatchObject({
    record: { name: "alerts", kind: "webhook", status: "connected" },
    settings: { secret: ALERTS.secret },
  });
  expect(await rpc.sources.openSettings("nowhere")).toBeNull();
});

test("an exported configuration registers the same sources in another household", async () => {
  const first = await createSourceHousehold();
  const exported = await first.rpc.settings.exportConfiguration();
  const second = await createHousehold();
  unwrap(await second.rpc.secrets.putSecret("SOURCE_ALERTS_SECRET", ALERTS.secret));

  await configureHousehold(second, exported);

  expect(await second.rpc.settings.exportConfiguration()).toMatchObject({
    sources: exported["sources"],
  });
  expect(await second.rpc.sources.openSettings("alerts")).toMatchObject({
    settings: { secret: ALERTS.secret },
  });
});

test("a secret that is set later completes a source", async () => {
  const home = await createHousehold();
  const warnings = await configureHousehold(home, {
    sources: { alerts: { kind: "webhook", secret: "${HOOK}", url: "https://hooks.test/in" } },
  });
  const owner = await addKey(home, "olga", "owner");
  const before = unwrap(await home.rpc.sources.authorize(owner, "alerts", "read"));

  unwrap(await home.rpc.secrets.putSecret("HOOK", buildFakeWebhookSecret("hook")));

  expect(warnings).toContain("the secret HOOK is not set");
  expect(before.can_send).toBe(false);
  expect(unwrap(await home.rpc.sources.authorize(owner, "alerts", "read")).can_send).toBe(true);
});

test.for<[JsonMap, string]>([
  [{ Email: MAIL }, "config.sources.Email"],
  [{ drafts: MAIL }, "config.sources.drafts"],
  [{ "a/b": MAIL }, "config.sources.a/b"],
  [{ "..": MAIL }, "config.sources..."],
  [{ mail: { kind: "fax" } }, "config.sources.mail.kind"],
  [{ mail: "email" }, "config.sources.mail"],
  [{ mail: { ...MAIL, title: "x".repeat(101) } }, "config.sources.mail.title"],
  [{ mail: { ...MAIL, status: "off" } }, "config.sources.mail.status"],
  [{ mail: { ...MAIL, from: "nobody" } }, "config.sources.mail.from"],
  [{ hook: { kind: "webhook" } }, "config.sources.hook.secret"],
  [{ hook: { kind: "webhook", secret: "short" } }, "config.sources.hook.secret"],
])("an invalid source is refused with its path: %j", async ([sources, path]) => {
  const home = await createHousehold();

  const refused = await getConfigRefusal(home, { sources });

  expect(refused).toEqual({ code: "bad_field", path });
  expect(await home.rpc.sources.listNames()).toEqual([]);
});

test("a name of a mail source is refused if the address would be longer than mail servers accept", async () => {
  const home = await createHousehold("UTC", `h${crypto.randomUUID()}`.padEnd(55, "x"));

  const refused = await getConfigRefusal(home, { sources: { messages1: MAIL } });
  const accepted = await home.rpc.settings.configure({
    sources: { messages: MAIL, "a-long-name-of-a-webhook": ALERTS },
  });

  expect(refused).toEqual({ code: "bad_field", path: "config.sources.messages1" });
  expect(accepted.ok).toBe(true);
});

test("a source keeps its kind", async () => {
  const home = await createSourceHousehold();

  const refused = await getConfigRefusal(home, { sources: { email: ALERTS } });

  expect(refused).toEqual({ code: "bad_field", path: "config.sources.email.kind" });
});

test("null removes a source with its object and its secrets, and the name can be used again", async () => {
  const home = await createSourceHousehold();
  const source = getSourceStub(env, home.id, "alerts");

  await configureHousehold(home, { sources: { alerts: null } });

  expect(await home.rpc.sources.listNames()).toEqual(["email"]);
  expect(getCode(await source.messages.status())).toBe("not_found");
  expect((await home.rpc.secrets.listSecrets()).map(({ name }) => name)).toEqual([]);

  await configureHousehold(home, { sources: { alerts: ALERTS } });

  expect(unwrap(await source.messages.status())).toMatchObject({ source: "alerts", messages: 0 });
});

test("a household has at most 50 sources", async () => {
  const home = await createHousehold();
  const sources = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`mail-${n}`, MAIL]));

  const outcome = await home.rpc.settings.configure({ sources });

  expect(getCode(outcome)).toBe("too_many");
  expect(await home.rpc.sources.listNames()).toEqual([]);
});

test("an owner registers, disconnects and removes a source by calls, and the audit trail has them", async () => {
  const { rpc, id, owner } = await createSourceHousehold({});

  const registered = unwrap(await rpc.sources.register(owner, "email", MAIL));
  const disconnected = unwrap(await rpc.sources.setStatus(owner, "email", "disconnected"));
  const status = unwrap(await getSourceStub(env, id, "email").messages.status());
  const exported = await rpc.settings.exportConfiguration();
  unwrap(await rpc.sources.remove(owner, "email"));

  expect(registered).toMatchObject({ name: "email", status: "connected" });
  expect(disconnected.status).toBe("disconnected");
  expect(status.status).toBe("disconnected");
  expect(exported["sources"]).toMatchObject({ email: { status: "disconnected" } });
  const { entries } = await rpc.audit.listEntries(undefined, 10);
  expect(
    entries.filter(({ target }) => target === "email").map(({ action, actor }) => [action, actor]),
  ).toEqual([
    ["source_removed", "olga"],
    ["source_status_changed", "olga"],
    ["source_registered", "olga"],
  ]);
});

test("settings that change without a status leave a disconnected source disconnected", async () => {
  const home = await createSourceHousehold();
  unwrap(await home.rpc.sources.setStatus(home.owner, "email", "disconnected"));

  await configureHousehold(home, { sources: { email: { ...MAIL, title: "New" } } });

  const listed = unwrap(await home.rpc.sources.authorize(home.owner, "email", "read"));
  expect(listed).toMatchObject({ title: "New", status: "disconnected" });
  expect(await home.rpc.sources.findByKind("email")).toBeNull();
  expect(await home.rpc.sources.findByKind("webhook")).toBe("alerts");
});

test("only an owner without limits registers, disconnects or removes sources", async () => {
  const home = await createSourceHousehold();
  const { sources } = home.rpc;
  const callers = [
    await addKey(home, "bob", "agent"),
    await addKey(home, "bob", "executor"),
    await addKey(home, "bob", "agent", ["msg", "msg/*/outbox", "msg/classify"]),
    await addKey(home, "olga", "owner", ["msg"]),
  ];

  for (const caller of callers) {
    const outcomes = [
      await sources.register(caller, "more", MAIL),
      await sources.setStatus(caller, "email", "disconnected"),
      await sources.remove(caller, "email"),
    ];
    expect(outcomes.map(getCode)).toEqual(["wrong_role", "wrong_role", "wrong_role"]);
  }
  expect(await sources.listNames()).toEqual(["alerts", "email"]);
});

test("a source is not opened without an optional secret that it names", async () => {
  const home = await createHousehold();
  await configureHousehold(home, { sources: { alerts: { ...ALERTS, send_secret: "${LOST}" } } });

  expect(await home.rpc.sources.openSettings("alerts")).toBeNull();
});
