import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { makeCallbackToken } from "../../../src/auth/callbacks/callback-tokens.ts";
import {
  deriveWebhookSecret,
  signWebhook,
} from "../../../src/auth/callbacks/webhook-signatures.ts";
import { getSecretId } from "../../../src/auth/worker-secret.ts";
import { SecretVault } from "../../../src/household/secrets/secret-vault.ts";
import { Secrets } from "../../../src/household/secrets/secrets.ts";
import { getHouseholdStub } from "../../../src/stubs.ts";
import { openSignedIn, isSignedIn } from "../oauth/support.ts";
import { createLink } from "../respond/support.ts";
import {
  Caller,
  createFreshHousehold,
  expectOkJson,
  OPERATOR_KEY,
  sendRequest,
  type TestHousehold,
} from "../support.ts";

const operator = new Caller("operator", OPERATOR_KEY);
const ORIGINAL = env.MESS_SECRET;
const NEW = "the-new-secret-of-at-least-thirty-two-bytes";
const bindings = env as unknown as Record<string, string>;

/** Deploys with these secrets: objects start again. */
async function deploy(homes: readonly TestHousehold[], current: string, previous = "") {
  bindings["MESS_SECRET"] = current;
  bindings["MESS_SECRET_PREVIOUS"] = previous;
  for (const { id } of homes) await evictDurableObject(env.HOUSEHOLDS.getByName(id));
}

afterEach(() => {
  bindings["MESS_SECRET"] = ORIGINAL;
  bindings["MESS_SECRET_PREVIOUS"] = "";
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const putSecret = async ({ owner }: TestHousehold, name: string, value = `value of ${name}`) =>
  await expectOkJson(
    await owner.fetch(`/api/v1/secrets/${name}`, {
      method: "PUT",
      body: JSON.stringify({ value }),
      headers: { "Content-Type": "application/json" },
    }),
  );

interface Listed {
  name: string;
  fingerprint: string;
  unreadable?: true;
  hint?: string;
}

const listSecrets = async ({ owner }: TestHousehold) =>
  (await owner.read<{ secrets: Listed[] }>("/api/v1/secrets")).secrets;

const listUnreadable = async (home: TestHousehold) =>
  (await listSecrets(home)).filter(({ unreadable }) => unreadable).map(({ name }) => name);

/** Reports all others as sealed: households of other test files would fill the list of pending ones. */
const settleOthers = async ({ id }: TestHousehold) =>
  await env.INDEX.prepare(
    `INSERT OR REPLACE INTO sealed_households (household, sealed_with, unreadable, at)
     SELECT id, ?1, 0, 0 FROM households WHERE id <> ?2
     UNION SELECT household, ?1, 0, 0 FROM threads WHERE household <> ?2`,
  )
    .bind(await getSecretId(NEW), id)
    .run();

const readStatus = async () => await operator.read("/api/v1/secret-rotation");
const continueRotation = async () =>
  await expectOkJson(await operator.post("/api/v1/secret-rotation", {}));

const countSealedWith = ({ id }: TestHousehold) =>
  runInDurableObject(env.HOUSEHOLDS.getByName(id), (_object, { storage }) =>
    storage.sql
      .exec<{ sealed_with: string; count: number }>(
        "SELECT sealed_with, count(*) AS count FROM secrets GROUP BY sealed_with ORDER BY count",
      )
      .toArray()
      .map(({ count }) => count),
  );

describe("a rotation of MESS_SECRET", () => {
  it("links, sessions, callbacks and keys of before are accepted during the overlap, and end with it", async () => {
    const home = await createFreshHousehold();
    const { id, owner, agent, ann } = home;
    const ref = await agent.createThread("look at the basil", { requires: ["look"] });
    const chore = await agent.createThread("vacuum", { requires: ["vacuum-floor"] });
    const link = await createLink(ann, ref, "ann", { expires: "20d" });
    const browser = await openSignedIn([home, "ann"]);
    const credentials = await getHouseholdStub(env, id).contacts.getCallbackCredentials("robo");
    const { token } = await makeCallbackToken(
      ORIGINAL,
      { household: id, executor: "robo", ref: chore, binding: credentials!.token_binding },
      Date.now(),
    );
    const makeKey = async () =>
      await expectOkJson(
        await owner.post("/api/v1/keys", { actor: "x", role: "agent" }, { "Idempotency-Key": "k" }),
      );
    const key = await makeKey();
    const webhookSecret = await deriveWebhookSecret(ORIGINAL, id, "robo");
    const openLink = async () => [
      (await sendRequest(`/thread/${ref}?token=${link.token}`)).status,
      (await sendRequest(`/r/${link.code}`)).status,
    ];
    const callBack = async (message: string, headers: Record<string, string>, body: string) =>
      (
        await sendRequest(`/hooks/executor/${id}/robo`, {
          method: "POST",
          headers: { "Content-Type": "application/json", "Idempotency-Key": message, ...headers },
          body,
        })
      ).status;
    const followUp = (message: string) =>
      JSON.stringify({ MESS: [{ followup: { re: chore, message } }] });
    const callBySignature = async (message: string) => {
      const body = followUp(message);
      const bytes = new TextEncoder().encode(body);
      const signed = await signWebhook(webhookSecret, message, Date.now(), bytes);
      return await callBack(message, { ...signed }, body);
    };
    const callByToken = (message: string) =>
      callBack(message, { Authorization: `Bearer ${token}` }, followUp(message));
    const before = await openLink();

    await deploy([home], NEW, ORIGINAL);
    const during = await openLink();
    const duringCalls = [await callByToken("one"), await callBySignature("two")];
    const signedIn = await isSignedIn(browser);
    const sameKey = await makeKey();
    const fresh = await createLink(ann, ref, "ann", { expires: "20d" });

    await deploy([home], NEW);
    const after = await openLink();
    const afterCalls = [await callByToken("three"), await callBySignature("four")];

    expect(during).toEqual(before);
    expect(duringCalls).toEqual([200, 200]);
    expect(signedIn).toBe(true);
    expect(sameKey).toEqual(key);
    expect(after[0]).toBe(401);
    expect(after).not.toEqual(before);
    expect(afterCalls).toEqual([401, 401]);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await sendRequest(`/thread/${ref}?token=${fresh.token}`)).status).toBe(200);
    expect((await new Caller("x", key.key as string).fetch("/api/v1/household")).status).toBe(200);
  });

  it("secrets are sealed again by the household's alarm, and readable after the old one is dropped", async () => {
    const home = await createFreshHousehold();
    await putSecret(home, "SLACK_TOKEN");
    const push = await getHouseholdStub(env, home.id).contacts.getVapidKeys();
    const [before] = await listSecrets(home);

    await deploy([home], NEW, ORIGINAL);
    await settleOthers(home);
    const pending = await readStatus();
    const during = await listUnreadable(home);
    await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(home.id));
    const [resealed] = await listSecrets(home);
    const done = await readStatus();
    await deploy([home], NEW);

    expect(pending).toMatchObject({ done: false });
    expect(pending.pending).toContain(home.id);
    expect(during).toEqual([]);
    expect(done.pending).not.toContain(home.id);
    expect(await listUnreadable(home)).toEqual([]);
    expect(resealed!.fingerprint).not.toBe(before!.fingerprint);
    expect(await getHouseholdStub(env, home.id).contacts.getVapidKeys()).toEqual(push);
    const { entries } = await home.owner.read("/api/v1/audit?limit=1");
    expect(entries).toMatchObject([{ action: "secrets_resealed", actor: "exchange" }]);
  });

  it("the operator continues a rotation at once, and sees when it is done", async () => {
    const home = await createFreshHousehold();
    await putSecret(home, "SLACK_TOKEN");

    await deploy([home], NEW, ORIGINAL);
    let status = await readStatus();
    const ids = [status.secret, status.previous];
    for (let calls = 0; status.pending.length > 0 && calls < 10; calls++)
      status = await continueRotation();

    expect(new Set(ids).size).toBe(2);
    expect(JSON.stringify(status)).not.toContain(NEW);
    expect(status).toMatchObject({ done: true, households: { pending: 0 }, unreadable: [] });
    await deploy([home], NEW);
    expect(await listUnreadable(home)).toEqual([]);
    expect(await readStatus()).toMatchObject({ done: true });
  });

  it("only the operator sees and continues a rotation", async () => {
    const { owner } = await createFreshHousehold();

    expect((await owner.fetch("/api/v1/secret-rotation")).status).toBe(401);
    expect((await owner.post("/api/v1/secret-rotation", {})).status).toBe(401);
  });

  it("dropping the old secret too early says what to do, and restoring it loses nothing", async () => {
    const home = await createFreshHousehold();
    await putSecret(home, "SLACK_TOKEN");

    await deploy([home], NEW);
    const [listed] = await listSecrets(home);
    const configured = await expectOkJson(
      await home.owner.post("/api/v1/config", {
        dispatch: { slack: { bot_token: "${SLACK_TOKEN}", signing_secret: "x" } },
      }),
    );
    const tooEarly = await continueRotation();
    await deploy([home], NEW, ORIGINAL);
    const restored = await continueRotation();
    await deploy([home], NEW);

    expect(listed).toMatchObject({ name: "SLACK_TOKEN", unreadable: true });
    expect(listed!.hint).toContain("MESS_SECRET_PREVIOUS");
    expect(configured.warnings.join()).toContain("MESS_SECRET_PREVIOUS");
    expect(tooEarly).toMatchObject({
      done: false,
      unreadable: expect.arrayContaining([{ household: home.id, secrets: 1 }]),
    });
    expect(tooEarly.hint).toContain("MESS_SECRET_PREVIOUS");
    expect(restored.unreadable).toEqual([]);
    expect(await listUnreadable(home)).toEqual([]);
  });

  it("a crash in the middle of sealing again loses no secret, and the alarm continues", async () => {
    const home = await createFreshHousehold();
    const names = Array.from({ length: 130 }, (_, n) => `SECRET_${n}`);
    for (const name of names) await putSecret(home, name);
    await deploy([home], NEW, ORIGINAL);
    await settleOthers(home);
    const { replaceSealed } = Object.getOwnPropertyDescriptors(Secrets.prototype);
    let calls = 0;
    const crashing = vi.spyOn(Secrets.prototype, "replaceSealed");
    crashing.mockImplementation(function (this: Secrets, ...given) {
      if (++calls > 115) throw new Error("crash");
      replaceSealed.value?.apply(this, given);
    });

    await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(home.id));
    const partly = await countSealedWith(home);
    const inBetween = await listUnreadable(home);
    const status = await readStatus();
    crashing.mockRestore();
    await deploy([home], NEW, ORIGINAL);
    vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ["Date"] });
    await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(home.id));
    await deploy([home], NEW);

    expect(partly).toEqual([30, 100]);
    expect(inBetween).toEqual([]);
    expect(status.pending).toContain(home.id);
    expect(await countSealedWith(home)).toEqual([130]);
    expect(await listUnreadable(home)).toEqual([]);
    expect((await listSecrets(home)).map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });

  it("a secret that is set while the household seals again keeps its new value", async () => {
    const home = await createFreshHousehold();
    await putSecret(home, "SLACK_TOKEN", "first");
    const { contacts } = getHouseholdStub(env, home.id);
    await expectOkJson(
      await home.owner.post("/api/v1/config", {
        dispatch: { slack: { bot_token: "${SLACK_TOKEN}", signing_secret: "x" } },
      }),
    );
    await deploy([home], NEW, ORIGINAL);
    const { seal } = Object.getOwnPropertyDescriptors(SecretVault.prototype);
    let isSetAgain = false;
    vi.spyOn(SecretVault.prototype, "seal").mockImplementation(async function (
      this: SecretVault,
      ...given
    ) {
      if (given[1] === "first" && !isSetAgain) {
        isSetAgain = true;
        await putSecret(home, "SLACK_TOKEN", "second");
      }
      return await seal.value!.apply(this, given);
    });

    await getHouseholdStub(env, home.id).secrets.resealSecrets();

    expect(isSetAgain).toBe(true);
    expect(await contacts.getChannelSettings("slack")).toMatchObject({ bot_token: "second" });
    expect(await countSealedWith(home)).toEqual([2]);
  });

  it("a secret shorter than 32 bytes is refused as the former one too", async () => {
    await deploy([], NEW, "short");

    expect((await sendRequest("/api/v1/household")).status).toBe(500);
  });
});
