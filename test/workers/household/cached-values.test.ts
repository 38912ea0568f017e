/** Values that a household keeps in memory must always be those that its tables have. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import type { Status } from "../../../src/mess/status.ts";
import { HouseholdContext } from "../../../src/household/household-context.ts";
import {
  buildRequest,
  buildSummary,
  createHousehold,
  type HouseholdUnderTest,
  openAll,
} from "./support.ts";

const DAY_MS = 86_400_000;

afterEach(() => {
  vi.useRealTimers();
});

const getObject = ({ id }: HouseholdUnderTest) => env.HOUSEHOLDS.getByName(id);

/** The numbers of threads that the running object has, and those that it counts after a restart. */
async function countThreads(home: HouseholdUnderTest) {
  const read = async () => {
    const usage = await home.rpc.quotas.readUsage();
    if (!usage.ok) throw new Error(usage.error.code);
    const { open_threads_per_household: open, new_threads_per_household: ofDay } =
      usage.value.household;
    return { open, ofDay, members: usage.value.members };
  };
  const { members, ...kept } = await read();
  await evictDurableObject(getObject(home));
  const { members: countedMembers, ...counted } = await read();
  expect(members).toEqual(countedMembers);
  return { kept, counted };
}

const expectCounts = async (home: HouseholdUnderTest, counts: { open: number; ofDay: number }) =>
  expect(await countThreads(home)).toEqual({ kept: counts, counted: counts });

it("the numbers of open and of new threads stay right while threads begin, end, return and are deleted", async () => {
  const home = await createHousehold();
  const record = (ref: string, seq: number, status: Status) =>
    home.rpc.threads.recordSummary(buildSummary(home, ref, { seq, status }));
  await expectCounts(home, { open: 0, ofDay: 0 });
  const [first, second] = await openAll(home, [buildRequest(), buildRequest(), buildRequest()]);
  await expectCounts(home, { open: 3, ofDay: 3 });
  await record(first!.ref, 1, "pending");
  await record(first!.ref, 2, "completed");
  await expectCounts(home, { open: 2, ofDay: 3 });
  await record(first!.ref, 3, "in_progress");
  await expectCounts(home, { open: 3, ofDay: 3 });
  await record("2020-01-02-007", 4, "pending");
  await expectCounts(home, { open: 4, ofDay: 3 });
  await home.rpc.threads.deleteThread(second!.ref, { actor: "olga", credential: "key" });
  await expectCounts(home, { open: 3, ofDay: 2 });
});

it("threads of an earlier day, and refs that expire without a thread, are not counted", async () => {
  vi.setSystemTime(new Date("2041-05-04T10:00:00Z"));
  const home = await createHousehold();
  await openAll(home, [buildRequest(), buildRequest()]);
  await expectCounts(home, { open: 2, ofDay: 2 });
  vi.setSystemTime(Date.now() + DAY_MS);
  await openAll(home, [buildRequest()]);
  await expectCounts(home, { open: 3, ofDay: 1 });
  await runDurableObjectAlarm(getObject(home));
  await expectCounts(home, { open: 1, ofDay: 1 });
});

it("a transaction that is rolled back leaves no count, serial or setting in memory", async () => {
  const home = await createHousehold();
  await runInDurableObject(getObject(home), (_object, state) => {
    const context = new HouseholdContext(state, env);
    const { counts, ...stores } = openStores(context);
    const read = () => ({
      open: counts.countOpen(),
      ofDay: counts.countOfDay("2041-05-04"),
      serial: stores.serials.getNext("2041-05-04"),
      name: stores.settings.get("name"),
    });
    const before = read();
    const change = () => {
      stores.serials.take("2041-05-04", 1);
      stores.threadCatalog.addOpened("2041-05-04-001", "scout", Date.now());
      stores.settings.set("name", "never");
      expect(read()).toEqual({
        open: [{ actor: "scout", count: 1 }],
        ofDay: [{ actor: "scout", count: 1 }],
        serial: 2,
        name: "never",
      });
      throw new Error("rolled back");
    };

    for (const transact of [context.storage.transactionSync, context.write.bind(context)]) {
      expect(() => transact(change)).toThrow("rolled back");
      expect(read()).toEqual(before);
    }
  });
});

function openStores(context: HouseholdContext) {
  const stores = context.openStores()!;
  return { ...stores, counts: stores.threadCatalog.counts };
}

it("a household does not assign the serial of a deleted thread again", async () => {
  const home = await createHousehold();
  const [, second] = await openAll(home, [buildRequest(), buildRequest(), buildRequest()]);
  await home.rpc.threads.deleteThread(second!.ref, { actor: "olga", credential: "key" });
  await evictDurableObject(getObject(home));

  const [next] = await openAll(home, [buildRequest()]);

  expect(next!.ref.slice(11)).toBe("004");
});
