/** Recurring requests from outside: created over HTTP, fired by the household's alarm, answered like any other. */
import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { Events } from "../../../src/household/events/events.ts";
import { ThreadObject } from "../../../src/thread/thread-object.ts";
import {
  type Answered,
  countThreads,
  waitUntil,
  expectOkJson,
  createFreshHousehold,
} from "../support.ts";
import {
  setTime,
  DAILY,
  listFirings,
  createSchedule,
  listScheduleEvents,
  getObject,
  readSchedules,
  startClock,
  TRASH,
} from "./support.ts";

const MINUTE_MS = 60_000;

startClock();

describe("a recurring request", () => {
  it("a recurring request creates a thread in its creator's name each time it is due", async () => {
    const home = await createFreshHousehold({ time_zone: "Europe/Berlin" });
    const made = await createSchedule(home.agent, { ...DAILY, skip_if_open: false });
    expect(made).toMatchObject({ by: "scout", next: "2031-05-05T19:00:00+02:00", paused: false });

    await setTime(home, "2031-05-05T16:59:00Z");
    expect(await listFirings(home)).toEqual([]);
    await setTime(home, "2031-05-05T17:00:00Z");
    await setTime(home, "2031-05-06T17:00:00Z");

    expect(await listFirings(home)).toEqual(["2031-05-05-001-trash", "2031-05-06-001-trash"]);
    const { envelope, messages } = await home.agent.read("/mess/2031-05-05-001-trash");
    expect(envelope).toMatchObject({ requestor: "scout", intent: TRASH.intent, status: "pending" });
    expect(messages[0]).toMatchObject({ from: "scout", channel: "schedule" });
    await waitUntil(async () => expect((await home.ben.read("/mess")).threads).toHaveLength(2));
    expect(await readSchedules(home.agent)).toMatchObject({
      last: { at: "2031-05-06T19:00:00+02:00", ref: "2031-05-06-001-trash" },
      next: "2031-05-07T19:00:00+02:00",
    });
  });

  it("a recurring request opens the earlier thread that its creator may see", async () => {
    const home = await createFreshHousehold();
    const list = await home.agent.createThread("write the list", {
      id: "list",
      requires: ["look"],
    });
    const unseen = await home.owner.createThread("count the money", { requires: ["vacuum-floor"] });
    const context = [{ ref: "list" }, { ref: unseen }];
    await createSchedule(home.agent, { ...DAILY, request: { ...TRASH, context } });

    await setTime(home, "2031-05-05T19:00:00Z");
    const [ref] = await listFirings(home);

    const { messages } = await home.agent.read(`/mess/${ref}`);
    expect(messages[0].MESS[0].request.context).toEqual([{ ref: list }, { ref: unseen }]);
    const { threads } = await home.ben.read(`/mess/${ref}/context`);
    expect(threads.map((one: Answered) => one.ref)).toEqual([list]);
  });

  it("a recurring request of an owner's agent key opens no thread that only the owner may see", async () => {
    const home = await createFreshHousehold();
    const unseen = await home.agent.createThread("count the money", { requires: ["look"] });
    const key = await home.addMember(home.owner.actor, "agent");
    const request = { ...TRASH, context: [{ ref: unseen }] };
    await createSchedule(key, { ...DAILY, request });
    await createSchedule(home.owner, { ...DAILY, id: "own", request });

    await setTime(home, "2031-05-05T19:00:00Z");
    const refs = await listFirings(home);

    const opened = await Promise.all(
      refs.map(async (ref) => (await home.ben.read(`/mess/${ref}/context`)).threads.length),
    );
    expect(opened.toSorted((a, b) => a - b)).toEqual([0, 1]);
    expect(await readSchedules(home.owner)).not.toHaveProperty("role");
  });

  it("a recurring request creates one thread however often the alarm fires, also after an eviction", async () => {
    const home = await createFreshHousehold();
    await createSchedule(home.agent, { ...DAILY, skip_if_open: false });
    await setTime(home, "2031-05-05T19:00:00Z");
    await evictDurableObject(getObject(home));
    await setTime(home, "2031-05-05T19:00:00Z");
    await setTime(home, "2031-05-05T19:00:30Z");
    expect(await listFirings(home)).toHaveLength(1);
    expect(await countThreads(home.agent)).toBe(1);
  });

  it("a recurring request creates its thread later if a crash occurs between opening and creating it", async () => {
    const home = await createFreshHousehold();
    await createSchedule(home.agent, DAILY);
    const create = vi.spyOn(ThreadObject.prototype, "create");
    create.mockRejectedValueOnce(new Error("crash")).mockRejectedValueOnce(new Error("crash"));

    await setTime(home, "2031-05-05T19:00:00Z");
    const [ref] = await listFirings(home);
    expect((await home.agent.fetch(`/mess/${ref}`)).status).toBe(404);
    await evictDurableObject(getObject(home));
    await setTime(home, "2031-05-05T19:00:10Z");
    await setTime(home, "2031-05-05T19:00:30Z");

    expect((await home.agent.read(`/mess/${ref}`)).envelope.status).toBe("pending");
    expect(await listFirings(home)).toEqual([ref]);
  });

  it("a recurring request creates no deliveries if the candidates have no address", async () => {
    const home = await createFreshHousehold();
    await createSchedule(home.agent, DAILY);
    await setTime(home, "2031-05-05T19:00:00Z");
    const [ref] = await listFirings(home);
    await waitUntil(async () => expect((await home.ben.read("/mess")).threads).toHaveLength(1));

    expect((await home.agent.read(`/mess/${ref}/deliveries`)).deliveries).toEqual([]);
  });

  it("a recurring request is skipped while its last thread is open, unless set otherwise", async () => {
    const home = await createFreshHousehold();
    await createSchedule(home.agent, DAILY);
    await setTime(home, "2031-05-05T19:00:00Z");
    const [first] = await listFirings(home);
    await waitUntil(async () => expect((await home.ben.read("/mess")).threads).toHaveLength(1));

    await setTime(home, "2031-05-06T19:00:00Z");
    expect(await listFirings(home)).toEqual([first]);
    expect(await listScheduleEvents(home)).toContainEqual(
      expect.stringMatching(/^schedule_skipped: \w/),
    );
    await home.ben.appendBlocks(first!, { status: { code: "completed" } });
    await waitUntil(async () =>
      expect((await home.owner.read("/api/v1/events?limit=500")).events.at(-1)).toMatchObject({
        ref: first,
        status: "completed",
      }),
    );
    await setTime(home, "2031-05-07T19:00:00Z");

    expect(await listFirings(home)).toEqual([first, "2031-05-07-001-trash"]);
  });

  it("a recurring request makes up for at most one missed firing, and reports the others", async () => {
    const home = await createFreshHousehold();
    await createSchedule(home.agent, { ...DAILY, skip_if_open: false });

    await setTime(home, "2031-05-09T08:00:00Z");

    expect(await listFirings(home)).toEqual(["2031-05-09-001-trash"]);
    expect(await listScheduleEvents(home)).toEqual([
      expect.stringMatching(/^schedule_skipped: .*\b3\b/),
      "schedule_fired: 2031-05-08T19:00:00+00:00",
    ]);
    expect((await readSchedules(home.agent)).next).toBe("2031-05-09T19:00:00+00:00");
  });

  it("a recurring request that fails because of a defect is tried again later, and delays no other", async () => {
    const home = await createFreshHousehold();
    await createSchedule(home.agent, { ...DAILY, id: "bad" });
    await createSchedule(home.agent, { ...DAILY, id: "good" });
    vi.spyOn(Events.prototype, "appendScheduleEvent").mockImplementationOnce(() => {
      throw new Error("a defect");
    });
    await setTime(home, "2031-05-05T19:00:00Z");
    expect(await listFirings(home)).toEqual(["2031-05-05-001-good"]);
    await setTime(home, "2031-05-05T20:00:00Z");
    expect(await listFirings(home)).toEqual(["2031-05-05-001-good", "2031-05-05-002-bad"]);
  });

  it("a recurring request ends with its last day", async () => {
    const home = await createFreshHousehold();
    await createSchedule(home.agent, {
      ...DAILY,
      skip_if_open: false,
      until: "2031-05-06T20:00:00Z",
    });
    await setTime(home, "2031-05-06T19:00:00Z");
    await setTime(home, "2031-05-20T19:00:00Z");
    expect(await listFirings(home)).toHaveLength(1);
    expect(await readSchedules(home.agent)).not.toHaveProperty("next");
  });

  it("a recurring request is paused when its creator may no longer send requests", async () => {
    const home = await createFreshHousehold();
    await createSchedule(home.agent, DAILY);
    const { keys } = await home.owner.read("/api/v1/keys");
    const key = (keys as Answered[]).find(({ actor }) => actor === "scout");
    await expectOkJson(await home.owner.fetch(`/api/v1/keys/${key.id}`, { method: "DELETE" }));

    await setTime(home, "2031-05-05T19:00:00Z");

    expect(await listFirings(home)).toEqual([]);
    expect(await listScheduleEvents(home)).toEqual([
      expect.stringMatching(/^schedule_paused: .*\bscout\b/),
    ]);
    expect(await readSchedules(home.owner)).toMatchObject({ paused: true });
  });

  it.each([
    // Berlin skips 02:00 to 03:00 on March 30th and repeats it on October 26th; New York on March 9th and November 2nd.
    ["Europe/Berlin", "2031-03-29T12:00:00Z", "2031-03-30T02:00:00Z", "2031-03-30T03:00:00+02:00"],
    ["Europe/Berlin", "2031-10-25T12:00:00Z", "2031-10-26T03:00:00Z", "2031-10-26T02:30:00+02:00"],
    [
      "America/New_York",
      "2031-03-08T12:00:00Z",
      "2031-03-09T08:00:00Z",
      "2031-03-09T03:00:00-04:00",
    ],
    [
      "America/New_York",
      "2031-11-01T15:00:00Z",
      "2031-11-02T08:00:00Z",
      "2031-11-02T01:30:00-04:00",
    ],
  ])(
    "a recurring request fires once in the night in which the clocks of %s change (%s)",
    async (zone, from, to, when) => {
      vi.setSystemTime(Date.parse(from));
      const home = await createFreshHousehold({ time_zone: "UTC" });
      const cron = zone.startsWith("A") && from.includes("-11-") ? "30 1 * * *" : "30 2 * * *";
      await createSchedule(home.agent, { ...DAILY, cron, time_zone: zone, skip_if_open: false });
      for (let now = Date.parse(from); now <= Date.parse(to); now += 30 * MINUTE_MS)
        await setTime(home, now);
      expect(await listScheduleEvents(home)).toEqual([`schedule_fired: ${when}`]);
    },
  );
});

describe("a recurring observation", () => {
  const LOOK = { intent: "Is the gate shut?", requires: ["take-photo"] };
  const NIGHTLY = { id: "gate", cron: "0 22 * * *", request: LOOK, skip_if_open: false };

  it("a recurring observation joins a thread with the same question, and later requests join it", async () => {
    const home = await createFreshHousehold();
    await createSchedule(home.agent, NIGHTLY);
    const rover = await home.addMember("rover", "agent");
    const first = await rover.createThread(LOOK.intent, LOOK);
    await setTime(home, "2031-05-05T22:00:00Z");
    const { ref } = (await readSchedules(home.agent, "gate")).last;
    expect((await home.agent.read(`/mess/${ref}`)).envelope).toMatchObject({
      status: "superseded",
      superseded_by: first,
    });

    await rover.appendBlocks(first, { cancel: {} });
    await waitUntil(async () =>
      expect((await home.owner.read("/api/v1/events?limit=500")).events.at(-1).status).toBe(
        "cancelled",
      ),
    );
    await setTime(home, "2031-05-06T22:00:00Z");
    const { ref: own } = (await readSchedules(home.agent, "gate")).last;
    expect((await home.agent.read(`/mess/${own}`)).envelope.status).toBe("pending");
    const later = await rover.createThread(LOOK.intent, LOOK);
    expect((await rover.read(`/mess/${later}`)).envelope.superseded_by).toBe(own);
  });

  it("a recurring observation creates its own thread if the other one refuses the join", async () => {
    const home = await createFreshHousehold();
    await createSchedule(home.agent, NIGHTLY);
    await home.owner.createThread(LOOK.intent, LOOK);
    vi.spyOn(ThreadObject.prototype, "acceptJoiner").mockImplementationOnce(async () => ({
      ok: false,
      error: { code: "thread_finished", message: "it is over", hint: "Create a new request." },
    }));
    await setTime(home, "2031-05-05T22:00:00Z");
    const { ref } = (await readSchedules(home.agent, "gate")).last;
    expect((await home.agent.read(`/mess/${ref}`)).envelope.status).toBe("pending");
    const later = await home.owner.createThread(LOOK.intent, LOOK);
    expect((await home.owner.read(`/mess/${later}`)).envelope.superseded_by).toBe(ref);
  });
});

describe("a rotation", () => {
  it("a rotation offers each firing to the next member first, and skips members that are not candidates", async () => {
    const home = await createFreshHousehold();
    await home.addMember("cleo", "executor");
    await expectOkJson(
      await home.owner.postBlocks(
        { config: { executor: { id: "ann", capabilities: ["carry"] } } },
        { config: { executor: { id: "cleo", capabilities: ["look"] } } },
      ),
    );
    await createSchedule(home.agent, {
      ...DAILY,
      skip_if_open: false,
      rotation: ["ann", "cleo", "ben"],
    });

    const turns: unknown[] = [];
    for (const day of [5, 6, 7]) {
      await setTime(home, `2031-05-0${day}T19:00:00Z`);
      const { last } = await readSchedules(home.agent);
      const route = await home.agent.read(`/mess/${last.ref}/route`);
      const first = (route.candidates as Answered[]).filter(({ rung }) => rung === 1);
      turns.push([last.member, first.map(({ id }) => id), first[0].reasons.at(-1)]);
    }

    const reason = expect.stringMatching(/\btrash\b/) as string;
    expect(turns).toEqual([
      ["ann", ["ann"], reason],
      ["ben", ["ben"], reason],
      ["ann", ["ann"], reason],
    ]);
  });

  it("a rotation may include the creator of the schedule", async () => {
    const home = await createFreshHousehold();
    const pat = await home.addMember("pat", "owner");
    await expectOkJson(
      await home.owner.postBlocks({ config: { executor: { id: "pat", capabilities: ["carry"] } } }),
    );
    await createSchedule(pat, { ...DAILY, rotation: ["pat", "ben"] });
    await setTime(home, "2031-05-05T19:00:00Z");
    const { last } = await readSchedules(pat);
    expect(last.member).toBe("pat");
    await pat.claim(last.ref);
    expect((await pat.read(`/mess/${last.ref}`)).envelope.executor).toBe("pat");
  });
});
