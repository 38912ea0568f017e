/** The password of a mailbox goes only to the servers for which an owner wrote it. */
import { expect, test } from "vitest";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { unwrap } from "../../outcomes.ts";
import {
  configureHousehold,
  createHousehold,
  getConfigRefusal,
  type HouseholdUnderTest,
} from "../support.ts";

const PASSWORD = "correct-horse-battery";
const REFERENCE = "${SOURCE_POST_PASSWORD}";
/** Disconnected: nothing is polled. */
const POST = {
  kind: "mailbox",
  status: "disconnected",
  address: "ann@gmail.com",
  password: PASSWORD,
};
const OTHER = { ...POST, address: "bob@gmx.net", password: "another-one" };

async function createMailboxHousehold(): Promise<HouseholdUnderTest> {
  const home = await createHousehold();
  await configureHousehold(home, { sources: { post: POST } });
  return home;
}

const readPassword = async ({ rpc }: HouseholdUnderTest, name = "post"): Promise<unknown> =>
  (await rpc.sources.openSettings(name))?.settings?.["password"];

test.each<[string, object]>([
  ["imap_host", { imap_host: "imap.evil.example" }],
  ["smtp_host", { smtp_host: "smtp.evil.example" }],
  ["user", { user: "eve" }],
  ["the provider", { user: "ann@gmail.com", address: "ann@fastmail.com" }],
])("a change of %s is refused unless the password is written again", async (_name, changed) => {
  const home = await createMailboxHousehold();
  const sources = { post: { ...POST, ...changed, password: REFERENCE } };

  const refused = await getConfigRefusal(home, { sources });

  expect(refused).toMatchObject({ code: "bad_field", path: "config.sources.post.password" });
  expect(await home.rpc.settings.exportConfiguration()).toMatchObject({
    sources: { post: { address: POST.address, password: REFERENCE } },
  });
  await configureHousehold(home, { sources: { post: { ...sources.post, password: "a-new-one" } } });
  expect(await readPassword(home)).toBe("a-new-one");
});

test("an exported mailbox is imported again, with other settings too, and in another household without its password", async () => {
  const home = await createMailboxHousehold();
  const exported = await home.rpc.settings.exportConfiguration();
  const { post } = exported["sources"] as { post: JsonMap };
  const second = await createHousehold();

  await configureHousehold(home, exported);
  await configureHousehold(home, { sources: { post: { ...post, folder: "Bills" } } });
  const warnings = await configureHousehold(second, exported);

  expect(await readPassword(home)).toBe(PASSWORD);
  expect(warnings.join()).toContain("SOURCE_POST_PASSWORD");
  expect(await readPassword(second)).toBeUndefined();
  unwrap(await second.rpc.secrets.putSecret("SOURCE_POST_PASSWORD", PASSWORD));
  await configureHousehold(second, exported);
  expect(await readPassword(second)).toBe(PASSWORD);
});

test.each<[string, JsonMap]>([
  ["another mailbox", { sources: { other: { ...OTHER, password: REFERENCE } } }],
  [
    "a mailbox in its place",
    { sources: { post: null, other: { ...OTHER, password: `x${REFERENCE}` } } },
  ],
  ["the user of a mailbox", { sources: { other: { ...OTHER, user: REFERENCE } } }],
  ["a feed", { sources: { news: { kind: "feed", url: `https://evil.example/${REFERENCE}` } } }],
  ["a hook", { hooks: { "thread.created": [{ url: `https://evil.example/${REFERENCE}` }] } }],
  [
    "an executor",
    { executors: { bob: { notify: { webhook: { url: `https://evil.example/${REFERENCE}` } } } } },
  ],
  ["a channel", { dispatch: { pigeon: { api: `https://evil.example/${REFERENCE}` } } }],
])("the password of a mailbox is refused in %s", async (_name, block) => {
  const home = await createMailboxHousehold();

  expect(await getConfigRefusal(home, block)).toMatchObject({ code: "bad_field" });
  expect(await readPassword(home)).toBe(PASSWORD);
});

test("a mailbox cannot use a secret that was set for something else", async () => {
  const home = await createHousehold();
  unwrap(await home.rpc.secrets.putSecret("SLACK_BOT_TOKEN", "xoxb-1"));
  const sources = { post: { ...POST, password: "${SLACK_BOT_TOKEN}" } };

  expect(await getConfigRefusal(home, { sources })).toMatchObject({ code: "bad_field" });
});

test("a password that an owner set by name is removed with the last use in its mailbox", async () => {
  const home = await createHousehold();
  await configureHousehold(home, { sources: { post: { ...POST, password: "${MAIL_PASSWORD}" } } });
  unwrap(await home.rpc.secrets.putSecret("MAIL_PASSWORD", PASSWORD));
  expect(await readPassword(home)).toBe(PASSWORD);

  await configureHousehold(home, { sources: { post: null } });

  expect(await home.rpc.secrets.listSecrets()).toEqual([]);
});
