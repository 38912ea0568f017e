/** Which chats of an owner approve: those confirmed in a verified session, until a key changes the channel. */
import { expect, it } from "vitest";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { getCode, unwrap } from "../../outcomes.ts";
import { confirmChat } from "../../sources/support.ts";
import { buildFakeHash, createHousehold, type HouseholdUnderTest } from "../support.ts";

const CHAT = { channel: "slack", address: "U04OLGA" } as const;
const SLACK = { bot_token: "xoxb-1", signing_secret: "${SLACK_SIGNING}" };

async function openSession(
  { rpc }: HouseholdUnderTest,
  { by_operator }: { by_operator?: true } = {},
): Promise<string> {
  const hash = buildFakeHash(by_operator ? "strong" : "weak");
  const invitation = { actor: "olga", role: "owner", hash } as const;
  unwrap(await rpc.identity.invite({ ...invitation, ...(by_operator ? { by_operator } : {}) }));
  unwrap(await rpc.identity.acceptInvitation(hash, hash));
  return hash;
}

async function createScene() {
  const home = await createHousehold();
  unwrap(await home.rpc.secrets.putSecret("SLACK_SIGNING", "s-1"));
  const configure = async (config: JsonMap) => unwrap(await home.rpc.settings.configure(config));
  await configure({
    dispatch: { slack: SLACK },
    executors: { olga: { notify: { slack: "U04OLGA" } }, ann: { notify: { slack: "U04ANN" } } },
  });
  await confirmChat({ id: home.id, actor: "olga" }, CHAT);
  const session = await openSession(home, { by_operator: true });
  const list = async () => unwrap(await home.rpc.contacts.listApprovalChats(session));
  return { ...home, home, configure, session, list };
}

it("an owner in a verified session confirms own chats only, and takes that back", async () => {
  const { home, rpc, session, list } = await createScene();
  const weak = await openSession(home);
  const confirm = (by: string, address: string, confirmed = true) =>
    rpc.contacts.setApprovalChat(by, { channel: "slack", address, confirmed });

  expect(await list()).toEqual([{ ...CHAT, confirmed: true }]);
  expect(getCode(await confirm(session, "U04ANN"))).toBe("not_found");
  expect(getCode(await confirm(weak, CHAT.address))).toBe("person_required");
  expect(getCode(await rpc.contacts.listApprovalChats(weak))).toBe("person_required");
  unwrap(await confirm(session, CHAT.address, false));
  expect(await list()).toEqual([{ ...CHAT, confirmed: false }]);
});

it.each<[string, JsonMap]>([
  ["other settings of the channel", { dispatch: { slack: { ...SLACK, bot_token: "xoxb-2" } } }],
  ["another address of the service", { dispatch: { slack: { ...SLACK, api: "https://a.test" } } }],
  [
    "its secret as the address of a member",
    { executors: { ann: { notify: { webhook: { url: "https://a.test/${SLACK_SIGNING}" } } } } },
  ],
  [
    "its secret in a source",
    { sources: { feed: { kind: "feed", url: "https://a.test/${SLACK_SIGNING}" } } },
  ],
  [
    "its secret in a hook",
    { hooks: { completed: [{ url: "https://a.test", body: { text: "${SLACK_SIGNING}" } }] } },
  ],
])("a configuration with %s ends the confirmation", async (_name, config) => {
  const { configure, list } = await createScene();

  await configure(config);

  expect(await list()).toEqual([{ ...CHAT, confirmed: false }]);
});

it("a configuration that changes nothing of the channel leaves the confirmation", async () => {
  const { configure, list } = await createScene();

  await configure({ dispatch: { slack: SLACK, telegram: { bot_token: "1:a" } }, name: "Home" });
  await configure({ executors: { ann: { notify: { slack: "U04BEN" } } } });

  expect(await list()).toEqual([{ ...CHAT, confirmed: true }]);
});

it("setting a secret of the channel ends the confirmation, and another one does not", async () => {
  const { rpc, list } = await createScene();

  unwrap(await rpc.secrets.putSecret("OTHER", "s-2"));
  const before = await list();
  unwrap(await rpc.secrets.putSecret("SLACK_SIGNING", "s-2"));

  expect(before).toEqual([{ ...CHAT, confirmed: true }]);
  expect(await list()).toEqual([{ ...CHAT, confirmed: false }]);
});

it("the confirmation of a removed person ends", async () => {
  const { home, rpc } = await createScene();

  unwrap(await rpc.identity.removePerson("olga"));
  const session = await openSession(home, { by_operator: true });

  expect(unwrap(await rpc.contacts.listApprovalChats(session))).toEqual([
    { ...CHAT, confirmed: false },
  ]);
});

it("a chat is not confirmed while a hook uses a secret of its channel", async () => {
  const { rpc, configure, session, list } = await createScene();
  const chat = { ...CHAT, confirmed: true };
  await configure({
    hooks: { completed: [{ url: "https://a.test", headers: { X: "${SLACK_SIGNING}" } }] },
  });

  const refused = await rpc.contacts.setApprovalChat(session, chat);
  await configure({ hooks: { completed: null } });
  const before = await list();
  unwrap(await rpc.contacts.setApprovalChat(session, chat));

  expect(refused).toMatchObject({
    error: { code: "bad_field", path: "dispatch.slack", valid: ["hooks.completed"] },
  });
  expect(before).toEqual([{ ...CHAT, confirmed: false }]);
  expect(await list()).toEqual([chat]);
});

it("a chat of Telegram is confirmed only with a secret that the household made and told nobody", async () => {
  const { rpc, configure, session } = await createScene();
  await configure({ executors: { olga: { notify: { telegram: "1003" } } } });
  const chat = { channel: "telegram", address: "1003", confirmed: true } as const;
  const setUp = async (settings: JsonMap) => {
    await configure({ dispatch: { telegram: { bot_token: "1:a", ...settings } } });
    const opened = await rpc.contacts.getChannelSettings("telegram");
    return opened?.["webhook_secret"];
  };
  const confirm = () => rpc.contacts.setApprovalChat(session, chat);

  await setUp({ webhook_secret: "known" });
  expect(await confirm()).toMatchObject({ error: { path: "dispatch.telegram.webhook_secret" } });
  const told = await setUp({ api: "https://a.test" });
  expect(await confirm()).toMatchObject({ error: { path: "dispatch.telegram.api" } });
  const made = await setUp({});
  expect((await confirm()).ok).toBe(true);
  expect(made).not.toBe(told);
  // It stays as long as the address does.
  expect(await setUp({})).toBe(made);
});
