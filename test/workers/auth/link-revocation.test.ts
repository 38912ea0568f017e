import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { ThreadObject } from "../../../src/thread/thread-object.ts";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LINK_PERMISSIONS } from "../../../src/auth/principal.ts";
import { endCredential } from "../../../src/household/identity/end-access.ts";
import { createHouseholdJobs } from "../../../src/household/jobs/thread-jobs.ts";
import { createStores } from "../../../src/household/stores.ts";
import { getThreadStub } from "../../../src/stubs.ts";
import { createNtfy } from "../../support/channels/ntfy.ts";
import { connectHost } from "../dispatch/machine-hosts.ts";
import { createLink } from "../respond/support.ts";
import {
  waitUntil,
  expectOkJson,
  createFreshHousehold,
  readRefusal,
  sendRequest,
} from "../support.ts";
import { createOfferedThread, findKeyId, revokeKey } from "./support.ts";

const UNKNOWN = "401 unauthenticated";

describe("a link that the exchange sent to a member", () => {
  const ANN = { id: "ann", capabilities: ["look"], notify: { ntfy: "ann-phone" } };

  async function createSentLinks() {
    const phone = createNtfy();
    connectHost("ntfy.sh", phone.handle);
    const listTokens = () =>
      phone.messages.map(({ click = "" }) => new URL(click).searchParams.get("token")!);
    const household = await createFreshHousehold();
    const { owner, agent } = household;
    await expectOkJson(
      await owner.postBlocks({ config: { dispatch: { ntfy: {} }, executor: ANN } }),
    );
    const ref = await agent.createThread("look at the basil", { requires: ["look"] });
    await waitUntil(async () => expect(listTokens()).toHaveLength(1));
    return { ...household, ref, token: listTokens()[0]!, listTokens };
  }

  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it("a link in a notice does not end with the key of the requestor", async () => {
    const { owner, ref, token } = await createSentLinks();

    await revokeKey(owner, "scout");

    expect((await sendRequest(`/thread/${ref}?token=${token}`)).status).toBe(200);
  });

  it("a notice never contains a link that was created with a key", async () => {
    const { agent, owner, ref, listTokens } = await createSentLinks();
    const own = await createLink(agent, ref, "ann", { expires: "31d" });

    await agent.appendBlocks(ref, { followup: { message: "the big one" } });
    await waitUntil(async () => expect(listTokens()).toHaveLength(2));
    await revokeKey(owner, "scout");

    const statuses = await Promise.all(
      [own.token, listTokens()[1]!].map(
        async (token) => (await sendRequest(`/thread/${ref}?token=${token}`)).status,
      ),
    );
    expect(statuses).toEqual([401, 200]);
  });

  it("a link in a notice ends when its member is removed, and stays ended", async () => {
    const { owner, ref, token } = await createSentLinks();
    const read = async () => await readRefusal(await sendRequest(`/thread/${ref}?token=${token}`));

    await expectOkJson(await owner.postBlocks({ config: { executors: { ann: null } } }));
    const removed = await read();
    await expectOkJson(await owner.postBlocks({ config: { executor: ANN } }));
    const added = await read();
    const fresh = await createLink(owner, ref);

    expect([removed, added]).toEqual([UNKNOWN, UNKNOWN]);
    expect((await sendRequest(`/thread/${ref}?token=${fresh.token}`)).status).toBe(200);
  });
});

describe("a thread that is notified of a revocation", () => {
  it("a thread refuses a link whose creation began before the revocation", async () => {
    const { id, owner, ref } = await createOfferedThread();
    const thread = getThreadStub(env, id, ref);
    const made = { permissions: LINK_PERMISSIONS, expires: Math.floor(Date.now() / 1_000) + 60 };
    const add = (executor: string, credential: `key:${string}`, membership: number) =>
      thread.addLink({ ...made, executor, made_with: credential, membership });

    await thread.endAccess({ credential: "key:gone" });
    await thread.endAccess({ executor: "ann", membership: 3 });

    const outcomes = await Promise.all([
      add("ben", "key:gone", 0),
      add("ann", "key:live", 3),
      add("ann", "key:live", 4),
    ]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false, true]);
    expect((await owner.read(`/mess/${ref}/links`)).links).toHaveLength(1);
  });

  it("a link of an older version without an origin ends only with its member", async () => {
    const { id, owner, ann, ref } = await createOfferedThread();
    const link = await createLink(ann, ref);
    const thread = env.THREADS.getByName(`${id}/${ref}`);
    await runInDurableObject(thread, (_object, { storage }) => {
      storage.sql.exec("UPDATE links SET made_with = NULL, membership = NULL");
    });

    await revokeKey(owner, "ann");
    const withoutKey = await sendRequest(`/thread/${ref}?token=${link.token}`);
    await expectOkJson(await owner.postBlocks({ config: { executors: { ann: null } } }));

    expect(withoutKey.status).toBe(200);
    expect(await readRefusal(await sendRequest(`/thread/${ref}?token=${link.token}`))).toBe(
      UNKNOWN,
    );
  });
});

describe("a key that is revoked while a thread is down", () => {
  /** Makes threads fail to end access while they are down. */
  function threadsThatFail() {
    const state = { asked: 0 };
    const endAccess = vi.spyOn(ThreadObject.prototype, "endAccess");
    endAccess.mockImplementation(async () => {
      state.asked++;
      throw new Error("down");
    });
    return { state, recover: () => endAccess.mockRestore() };
  }

  const alarmOf = (id: string): Promise<number | null> =>
    runInDurableObject(env.HOUSEHOLDS.getByName(id), (_object, { storage }) => storage.getAlarm());

  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it("revoking a key while a thread is down ends its links by the household's alarm", async () => {
    const { id, owner, ann, ref } = await createOfferedThread();
    const { token } = await createLink(ann, ref);
    const { state, recover } = threadsThatFail();
    const read = async () => await readRefusal(await sendRequest(`/thread/${ref}?token=${token}`));

    await revokeKey(owner, "ann");
    const alarm = await alarmOf(id);
    recover();
    vi.useFakeTimers({ now: Date.now() + 30_000, toFake: ["Date"] });
    await runDurableObjectAlarm(env.HOUSEHOLDS.getByName(id));

    expect(state.asked).toBe(1);
    expect(alarm).toBeLessThanOrEqual(Date.now());
    expect(await read()).toBe(UNKNOWN);
  });

  it("revoking a key ends its links after a crash before any thread was notified", async () => {
    const { id, owner, ann, ref } = await createOfferedThread();
    const { token } = await createLink(ann, ref);
    const keyId = await findKeyId(owner, "ann");
    const household = env.HOUSEHOLDS.getByName(id);
    await runInDurableObject(household, (_object, { storage }) => {
      const stores = createStores(storage.sql);
      storage.transactionSync(() => {
        stores.credentials.revoke(keyId, Date.now());
        endCredential(stores, `key:${keyId}`, Date.now());
      });
    });

    await evictDurableObject(household);
    await runInDurableObject(household, (_object, { storage }) => storage.setAlarm(Date.now()));
    await runDurableObjectAlarm(household);

    expect(await readRefusal(await sendRequest(`/thread/${ref}?token=${token}`))).toBe(UNKNOWN);
  });

  it("a thread that was down is notified again within 30 seconds, after any number of failures", async () => {
    const { id, owner, ann, ref } = await createOfferedThread();
    await createLink(ann, ref);
    const { state } = threadsThatFail();
    await revokeKey(owner, "ann");
    const delays: number[] = [];

    await runInDurableObject(env.HOUSEHOLDS.getByName(id), async (_object, { storage }) => {
      const stores = createStores(storage.sql);
      const jobs = createHouseholdJobs(env, storage, stores);
      for (let attempt = 0; attempt < 12; attempt++) {
        const due = stores.jobs.getNextDue()!;
        vi.setSystemTime(due);
        await jobs.run();
        delays.push(stores.jobs.getNextDue()! - due);
      }
    });

    expect(state.asked).toBe(13);
    expect(Math.max(...delays)).toBe(30_000);
  });
});
