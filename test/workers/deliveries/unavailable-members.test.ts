/** Availability is checked again just before an offer is sent, not only when the request is routed. */
import type { HouseholdObjectRpc } from "../../../src/contracts/household.ts";
import { getHouseholdStub } from "../../../src/stubs.ts";
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { expectNaming } from "../../support/naming.ts";
import { expectOkJson } from "../support.ts";
import {
  createDeliveryHousehold,
  type DeliveryHousehold,
  HOUR_MS,
  MINUTE_MS,
  NoticeRecorder,
  NOTIFY_CHANNELS,
} from "./support.ts";

const recorder = new NoticeRecorder();

beforeEach(() => recorder.clear());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Ann is preferred to Ben, and Ben to Cem; all three are capable and have a chat. */
async function createLookouts(
  more: { ann?: object; ben?: object } = {},
): Promise<DeliveryHousehold> {
  const home = await createDeliveryHousehold();
  const buildCapable = (id: string, fields: object = {}) => ({
    config: { executor: { id, capabilities: ["look"], notify: NOTIFY_CHANNELS.chat, ...fields } },
  });
  await expectOkJson(
    await home.owner.postBlocks(
      buildCapable("ann", more.ann),
      buildCapable("ben", more.ben),
      buildCapable("cem"),
      {
        config: { routing: { rules: buildRules("ann", "ben", "cem") } },
      },
    ),
  );
  return home;
}

const buildRules = (...ids: string[]) =>
  ids.map((id) => ({ match: { capability: "look" }, prefer: [id] }));

const setAway = async (
  { owner }: DeliveryHousehold,
  actor: string,
  state = "away",
): Promise<void> => {
  await expectOkJson(
    await owner.fetch("/api/v1/presence", {
      method: "PUT",
      body: JSON.stringify({ actor, state }),
      headers: { "Content-Type": "application/json" },
    }),
  );
};

const listOffers = (): [string, number][] =>
  recorder.notices
    .filter(({ notice }) => notice.kind === "offer")
    .map(({ notice, at }) => [notice.executor, at]);

describe("a later step", () => {
  it("a later step skips a member who has gone away since, and offers the thread to them after the others had their time", async () => {
    const home = await createLookouts();
    const ref = await home.agent.createThread("look out", { requires: ["look"] });
    await recorder.until(1);
    await setAway(home, "ben");

    await home.pass(ref, 2 * HOUR_MS);

    expect(listOffers()).toEqual([
      ["ann", 0],
      ["cem", 30 * MINUTE_MS],
      ["ben", HOUR_MS],
    ]);
    expect(await home.notes(ref, "passed_over")).toEqual([expectNaming("ben", "away")]);
    const known = (await home.deliveries(ref)).filter(({ executor }) => executor === "ben");
    expect(known.map(({ kind, state, error }) => [kind, state, error])).toEqual([
      ["offer", "dropped", expect.any(String)],
      ["offer", "delivered", null],
      ["reminder", "delivered", null],
    ]);
  });

  it("the last remaining candidate gets the offer even while away", async () => {
    const home = await createLookouts();
    const ref = await home.agent.createThread("look out", { requires: ["look"] });
    await recorder.until(1);
    for (const id of ["ben", "cem"]) await setAway(home, id);

    await home.pass(ref, 2 * HOUR_MS);

    expect(listOffers()).toEqual([
      ["ann", 0],
      ["cem", 30 * MINUTE_MS],
      ["ben", HOUR_MS],
    ]);
  });

  it("a member who was passed over by the route gets the offer before the owners are alerted", async () => {
    const home = await createLookouts();
    await setAway(home, "ann");
    const ref = await home.agent.createThread("look out", { requires: ["look"] });
    await recorder.until(1);
    await setAway(home, "ann", "here");

    await home.pass(ref, 2 * HOUR_MS);

    expect(listOffers()).toEqual([
      ["ben", 0],
      ["cem", 30 * MINUTE_MS],
      ["ann", HOUR_MS],
    ]);
    expect(await home.agent.read(`/mess/${ref}/route`)).toMatchObject({
      candidates: [{ id: "ben" }, { id: "cem" }],
      passed_over: expect.arrayContaining([{ id: "ann", reason: "away" }]),
      later: [{ id: "ann", rung: 1 }],
    });
  });

  it("a step is decided once even if the household's response is lost and the object restarts", async () => {
    const home = await createLookouts();
    const ref = await home.agent.createThread("look out", { requires: ["look"] });
    await recorder.until(1);
    await setAway(home, "ben");
    const real = env.HOUSEHOLDS.getByName.bind(env.HOUSEHOLDS);
    let lost = 1;
    vi.spyOn(env.HOUSEHOLDS, "getByName").mockImplementation((...name) => {
      const stub = real(...name);
      return new Proxy(stub, {
        get: (target, key) =>
          key === "callFacet"
            ? async (...given: Parameters<HouseholdObjectRpc["callFacet"]>) => {
                const household = target as unknown as HouseholdObjectRpc;
                const answer = await household.callFacet(...given);
                if (given[1] === "findContacts" && lost-- > 0)
                  throw new Error("the answer is lost");
                return answer;
              }
            : (Reflect.get(target, key) as unknown),
      });
    });

    await home.pass(ref, 31 * MINUTE_MS);
    await evictDurableObject(env.THREADS.getByName(`${home.id}/${ref}`));
    await home.pass(ref, HOUR_MS);

    expect(listOffers().map(([id]) => id)).toEqual(["ann", "cem", "ben"]);
    expect(await home.notes(ref, "passed_over")).toHaveLength(1);
  });
});

describe("a deferred offer", () => {
  it("an offer with a start time is sent to members who are available at that time", async () => {
    const home = await createLookouts();
    const not_before = "2051-03-04T16:00:00Z";
    const ref = await home.agent.createThread("look out", {
      requires: ["look"],
      constraints: { timing: { not_before } },
    });
    await setAway(home, "ann");

    await home.pass(ref, 6.75 * HOUR_MS);

    expect(listOffers()).toEqual([
      ["ben", 6 * HOUR_MS],
      ["cem", 6 * HOUR_MS + 30 * MINUTE_MS],
    ]);
  });

  it("an offer with a start time skips a member who has reached their capacity by then", async () => {
    const home = await createLookouts({ ann: { capacity: 1 } });
    const getLater = (hour: number) => ({
      requires: ["look"],
      constraints: { timing: { not_before: `2051-03-04T${hour}:00:00Z` } },
    });
    const first = await home.agent.createThread("look out", getLater(11));
    const second = await home.agent.createThread("look in", getLater(12));
    await home.pass(first, HOUR_MS);
    await home.ann.claim(first);
    await vi.waitFor(async () => {
      const { candidates } = await getHouseholdStub(env, home.id).threads.previewRoute({
        intent: "look",
        requires: ["look"],
      });
      expect(candidates.map(({ id }) => id)).not.toContain("ann");
    });

    await home.pass(second, HOUR_MS);

    expect(listOffers()).toEqual([
      ["ann", HOUR_MS],
      ["ben", 2 * HOUR_MS],
    ]);
  });
});

describe("a member whose notice would wait for hours", () => {
  const quiet = { quiet_hours: "09:00-15:00" };
  /** The last minute of quiet hours is included. */
  const OPEN = 5 * HOUR_MS + MINUTE_MS;

  it("a member in quiet hours gets the offer after the others, who get it at once", async () => {
    const home = await createLookouts({ ann: quiet });

    const ref = await home.agent.createThread("look out", { requires: ["look"] });
    await recorder.until(1);
    await home.pass(ref, 6 * HOUR_MS);

    expect(listOffers()).toEqual([
      ["ben", 0],
      ["cem", 30 * MINUTE_MS],
      ["ann", OPEN],
    ]);
    expect(await home.notes(ref, "passed_over")).toEqual([expectNaming("ann", "09:00-15:00")]);
  });

  it("the only candidate in quiet hours is awaited, and the times of reminder and alert begin after them", async () => {
    const home = await createLookouts();
    await expectOkJson(
      await home.owner.postBlocks({
        config: {
          executor: { id: "dora", capabilities: ["sing"], notify: NOTIFY_CHANNELS.chat, ...quiet },
        },
      }),
    );

    const ref = await home.agent.createThread("sing", { requires: ["sing"] });
    await home.pass(ref, 6 * HOUR_MS);

    expect(recorder.notices.map(({ notice, at }) => [notice.kind, notice.executor, at])).toEqual([
      ["offer", "dora", OPEN],
      ["reminder", "dora", OPEN + 15 * MINUTE_MS],
      ["alert", "owner", OPEN + 30 * MINUTE_MS],
    ]);
  });

  it("a candidate whose quiet hours end soon is awaited", async () => {
    const home = await createLookouts({ ann: { quiet_hours: "09:00-10:10" } });

    const ref = await home.agent.createThread("look out", { requires: ["look"] });
    await home.pass(ref, HOUR_MS);

    expect(listOffers()).toEqual([
      ["ann", 11 * MINUTE_MS],
      ["ben", 41 * MINUTE_MS],
    ]);
  });

  it("an urgent request does not skip a candidate in quiet hours", async () => {
    const home = await createLookouts({ ann: quiet });
    await home.agent.createThread("it burns", { requires: ["look"], priority: "urgent" });
    await recorder.until(1);
    expect(listOffers()).toEqual([["ann", 0]]);
  });
});
