import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createHouseholdJobs } from "../../../src/household/jobs/thread-jobs.ts";
import { createStores } from "../../../src/household/stores.ts";
import { Caller, waitUntil, expectOkJson, createFreshHousehold, readRefusal } from "../support.ts";
import { createHousehold, openAll, buildRequest, buildSummary } from "./support.ts";

afterEach(() => vi.useRealTimers());

describe("removing an executor", () => {
  it("the links of a removed executor give no access", async () => {
    const { owner, agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("photograph the shelf", { requires: ["take-photo"] });
    const link = await expectOkJson(await agent.post(`/mess/${ref}/links`, { executor: "ann" }));
    const token = new URL(link.url as string).searchParams.get("token")!;
    const bearer = new Caller("ann", token);
    await expectOkJson(await bearer.fetch(`/thread/${ref}`));

    await expectOkJson(await owner.postBlocks({ config: { executors: { ann: null } } }));

    await waitUntil(async () => {
      expect(await readRefusal(await bearer.fetch(`/thread/${ref}`))).toBe("401 unauthenticated");
    });
    for (const caller of [owner, agent]) {
      const again = await caller.post(`/mess/${ref}/links`, { executor: "ann" });
      expect(await readRefusal(again)).toBe("422 unknown_executor");
    }
    await expectOkJson(
      await owner.postBlocks({ config: { executors: { ann: { capabilities: ["look"] } } } }),
    );
    expect(await readRefusal(await bearer.fetch(`/thread/${ref}`))).toBe("401 unauthenticated");
    expect(await readRefusal(await ann.fetch(`/thread/${ref}`))).toBe("401 unauthenticated");
  });

  it("the links of a removed executor are revoked in every open thread, with retries", async () => {
    const home = await createHousehold();
    await home.rpc.settings.configure({ executors: { ann: {}, ben: {} } });
    const [open, late, ended] = await openAll(home, [
      buildRequest({ id: "a" }),
      buildRequest({ id: "b" }),
      buildRequest({ id: "c" }),
    ]);
    const participants = ["ann", "scout"];
    await home.rpc.threads.recordSummary(buildSummary(home, open!.ref, { participants }));
    await home.rpc.threads.recordSummary(
      buildSummary(home, ended!.ref, { participants, status: "completed" }),
    );
    const asked: string[] = [];
    let down = true;
    const threads = {
      getByName: (name: string) => ({
        endAccess: async ({ executor, membership }: { executor: string; membership: number }) => {
          asked.push(`${name.split("/")[1]} ${executor} ${membership}`);
          if (down) throw new Error("down");
        },
      }),
    } as unknown as Env["THREADS"];

    await runInDurableObject(env.HOUSEHOLDS.getByName(home.id), async (_object, { storage }) => {
      const stores = createStores(storage.sql);
      const now = Date.now();
      stores.revocations.endMembership("ann", 0, now);
      stores.members.removeExecutor("ann");
      const jobs = createHouseholdJobs({ ...env, THREADS: threads }, storage, stores);
      const runJobs = async (at: number) => {
        vi.setSystemTime(at);
        await jobs.run();
      };
      await runJobs(now);
      await runJobs(now);
      expect(asked).toEqual([`${open!.ref} ann 0`]);
      down = false;
      await runJobs(now + 1_000);
      expect(asked).toEqual([`${open!.ref} ann 0`, `${open!.ref} ann 0`]);
      expect(jobs.getNextDue(now)).toBeUndefined();

      const summary = buildSummary(home, late!.ref, { participants: ["ann", "ben", "scout"] });
      stores.revocations.endRemovedParticipants(stores.threadCatalog.get(late!.ref)!, summary, now);
      await runJobs(now);
      expect(asked.slice(2)).toEqual([`${late!.ref} ann 0`]);
    });
  });
});
