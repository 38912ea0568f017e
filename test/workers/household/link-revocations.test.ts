import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { pushRevocations } from "../../../src/household/identity/link-revocations.ts";
import { storesOver } from "../../../src/household/stores.ts";
import { Caller, eventually, expectOk, freshHousehold, refusalOf } from "../support.ts";
import { freshHome, opened, request, summary } from "./support.ts";

describe("an executor that is taken out", () => {
  it("the links of a removed executor open no thread", async () => {
    const { owner, agent, ann } = await freshHousehold();
    const ref = await agent.ask("photograph the shelf", { requires: ["take-photo"] });
    const link = await expectOk(await agent.post(`/mess/${ref}/links`, { executor: "ann" }));
    const token = new URL(link.url as string).searchParams.get("token")!;
    const bearer = new Caller("ann", token);
    await expectOk(await bearer.fetch(`/thread/${ref}`));

    await expectOk(await owner.say({ config: { executors: { ann: null } } }));

    await eventually(async () => {
      expect(await refusalOf(await bearer.fetch(`/thread/${ref}`))).toBe("401 unauthenticated");
    });
    for (const caller of [owner, agent]) {
      const again = await caller.post(`/mess/${ref}/links`, { executor: "ann" });
      expect(await refusalOf(again)).toBe("422 unknown_executor");
    }
    await expectOk(await owner.say({ config: { executors: { ann: { capabilities: ["look"] } } } }));
    expect(await refusalOf(await bearer.fetch(`/thread/${ref}`))).toBe("401 unauthenticated");
    expect(await refusalOf(await ann.fetch(`/thread/${ref}`))).toBe("401 unauthenticated");
  });

  it("the links of a removed executor are revoked in every open thread, with retries", async () => {
    const home = await freshHome();
    await home.rpc.configure({ executors: { ann: {}, ben: {} } });
    const [open, late, ended] = await opened(home, [
      request({ id: "a" }),
      request({ id: "b" }),
      request({ id: "c" }),
    ]);
    const participants = ["ann", "scout"];
    await home.rpc.changed(summary(home, open!.ref, { participants }));
    await home.rpc.changed(summary(home, ended!.ref, { participants, status: "completed" }));
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
      const stores = storesOver(storage.sql);
      const now = Date.now();
      stores.revocations.endMembership("ann", 0, now);
      stores.members.retire("ann");
      const chores = (at: number) => pushRevocations({ THREADS: threads }, stores, at);
      await chores(now);
      await chores(now);
      expect(asked).toEqual([`${open!.ref} ann 0`]);
      down = false;
      await chores(now + 1_000);
      expect(asked).toEqual([`${open!.ref} ann 0`, `${open!.ref} ann 0`]);
      expect(stores.revocations.nextDue()).toBeUndefined();

      const told = summary(home, late!.ref, { participants: ["ann", "ben", "scout"] });
      stores.revocations.noticed(stores.catalogue.get(late!.ref)!, told, now);
      await chores(now);
      expect(asked.slice(2)).toEqual([`${late!.ref} ann 0`]);
    });
  });
});
