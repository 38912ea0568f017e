/** Recurring requests from the outside: made over HTTP, fired by the household's alarm, done like any other. */
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Events } from "../../../src/household/events.ts";
import { ThreadObject } from "../../../src/thread/object.ts";
import {
  type Answered,
  type Caller,
  eventually,
  expectOk,
  freshHousehold,
  refusalOf,
  type TestHousehold,
} from "../support.ts";

/** Ahead of the real clock, by which alarms would fire on their own. A Monday. */
const START = Date.parse("2031-05-05T08:00:00Z");
const MINUTE = 60_000;

const TRASH = { intent: "take the trash out", requires: ["carry"] };
const DAILY = { id: "trash", cron: "0 19 * * *", request: TRASH };

beforeEach(() => {
  vi.setSystemTime(START);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const objectOf = ({ id }: TestHousehold) => env.HOUSEHOLDS.getByName(id);

/** Moves the clock to the time, and lets the household's alarm go off. */
async function at(home: TestHousehold, time: string | number) {
  vi.setSystemTime(typeof time === "string" ? Date.parse(time) : time);
  await runDurableObjectAlarm(objectOf(home));
}

const make = async (caller: Caller, schedule: object): Promise<Answered> =>
  (await expectOk(await caller.post("/api/v1/schedules", schedule))).schedule;

const shown = async (caller: Caller, id = "trash"): Promise<Answered> =>
  (await caller.read(`/api/v1/schedules/${id}`)).schedule;

const patch = (caller: Caller, id: string, change: object) =>
  caller.fetch(`/api/v1/schedules/${id}`, {
    method: "PATCH",
    body: JSON.stringify(change),
    headers: { "Content-Type": "application/json" },
  });

/** What the household's events say of schedules: action and note. */
async function noted({ owner }: TestHousehold): Promise<string[]> {
  const { events } = await owner.read("/api/v1/events?limit=500");
  return (events as Answered[])
    .filter(({ schedule }) => schedule !== undefined)
    .map(({ action, note }) => `${action}: ${note}`);
}

/** Refs of all threads of the household that were made by schedules. */
async function fired(home: TestHousehold): Promise<string[]> {
  const { events } = await home.owner.read("/api/v1/events?limit=500");
  return (events as Answered[])
    .filter(({ action }) => action === "schedule_fired")
    .map(({ ref }) => ref as string);
}

describe("a recurring request", () => {
  it("makes a thread in its maker's name when its time comes, and the next one after that", async () => {
    const home = await freshHousehold({ time_zone: "Europe/Berlin" });
    const made = await make(home.agent, { ...DAILY, skip_if_open: false });
    expect(made).toMatchObject({ by: "scout", next: "2031-05-05T19:00:00+02:00", paused: false });

    await at(home, "2031-05-05T16:59:00Z");
    expect(await fired(home)).toEqual([]);
    await at(home, "2031-05-05T17:00:00Z");
    await at(home, "2031-05-06T17:00:00Z");

    expect(await fired(home)).toEqual(["2031-05-05-001-trash", "2031-05-06-001-trash"]);
    const { envelope, messages } = await home.agent.read("/mess/2031-05-05-001-trash");
    expect(envelope).toMatchObject({ requestor: "scout", intent: TRASH.intent, status: "pending" });
    expect(messages[0]).toMatchObject({ from: "scout", channel: "schedule" });
    expect((await home.ben.read("/mess")).threads).toHaveLength(2);
    expect(await shown(home.agent)).toMatchObject({
      last: { at: "2031-05-06T19:00:00+02:00", ref: "2031-05-06-001-trash" },
      next: "2031-05-07T19:00:00+02:00",
    });
  });

  it("makes one thread however often the alarm comes, also after an eviction", async () => {
    const home = await freshHousehold();
    await make(home.agent, { ...DAILY, skip_if_open: false });
    await at(home, "2031-05-05T19:00:00Z");
    await evictDurableObject(objectOf(home));
    await at(home, "2031-05-05T19:00:00Z");
    await at(home, "2031-05-05T19:00:30Z");
    expect(await fired(home)).toHaveLength(1);
    expect((await home.agent.read("/mess")).threads).toHaveLength(1);
  });

  it("makes the thread later where a crash came between opening and making it", async () => {
    const home = await freshHousehold();
    await make(home.agent, DAILY);
    const create = vi.spyOn(ThreadObject.prototype, "create");
    create.mockRejectedValueOnce(new Error("crash")).mockRejectedValueOnce(new Error("crash"));

    await at(home, "2031-05-05T19:00:00Z");
    const [ref] = await fired(home);
    expect((await home.agent.fetch(`/mess/${ref}`)).status).toBe(404);
    await evictDurableObject(objectOf(home));
    await at(home, "2031-05-05T19:00:10Z");
    await at(home, "2031-05-05T19:00:30Z");

    expect((await home.agent.read(`/mess/${ref}`)).envelope.status).toBe("pending");
    expect(await fired(home)).toEqual([ref]);
  });

  it("makes no deliveries where no way leads to those who are asked, like any other request", async () => {
    const home = await freshHousehold();
    await make(home.agent, DAILY);
    await at(home, "2031-05-05T19:00:00Z");
    const [ref] = await fired(home);
    await eventually(async () => expect((await home.ben.read("/mess")).threads).toHaveLength(1));

    expect((await home.agent.read(`/mess/${ref}/deliveries`)).deliveries).toEqual([]);
  });

  it("does not ask again while the last thread is open, unless told to", async () => {
    const home = await freshHousehold();
    await make(home.agent, DAILY);
    await at(home, "2031-05-05T19:00:00Z");
    const [first] = await fired(home);
    await eventually(async () => expect((await home.ben.read("/mess")).threads).toHaveLength(1));

    await at(home, "2031-05-06T19:00:00Z");
    expect(await fired(home)).toEqual([first]);
    expect(await noted(home)).toContain(
      "schedule_skipped: the thread of the last firing is still open",
    );
    await home.ben.tell(first!, { status: { code: "completed" } });
    await eventually(async () =>
      expect((await home.owner.read("/api/v1/events?limit=500")).events.at(-1)).toMatchObject({
        ref: first,
        status: "completed",
      }),
    );
    await at(home, "2031-05-07T19:00:00Z");

    expect(await fired(home)).toEqual([first, "2031-05-07-001-trash"]);
  });

  it("makes good at most one of the firings that were missed, and says what was left out", async () => {
    const home = await freshHousehold();
    await make(home.agent, { ...DAILY, skip_if_open: false });

    await at(home, "2031-05-09T08:00:00Z");

    expect(await fired(home)).toEqual(["2031-05-09-001-trash"]);
    expect(await noted(home)).toEqual([
      "schedule_skipped: 3 earlier firings were missed, and are left out",
      "schedule_fired: 2031-05-08T19:00:00+00:00",
    ]);
    expect((await shown(home.agent)).next).toBe("2031-05-09T19:00:00+00:00");
  });

  it("is tried again later where it fails for a defect, and holds up no other", async () => {
    const home = await freshHousehold();
    await make(home.agent, { ...DAILY, id: "bad" });
    await make(home.agent, { ...DAILY, id: "good" });
    vi.spyOn(Events.prototype, "ofSchedule").mockImplementationOnce(() => {
      throw new Error("a defect");
    });
    await at(home, "2031-05-05T19:00:00Z");
    expect(await fired(home)).toEqual(["2031-05-05-001-good"]);
    await at(home, "2031-05-05T20:00:00Z");
    expect(await fired(home)).toEqual(["2031-05-05-001-good", "2031-05-05-002-bad"]);
  });

  it("ends with its last day", async () => {
    const home = await freshHousehold();
    await make(home.agent, { ...DAILY, skip_if_open: false, until: "2031-05-06T20:00:00Z" });
    await at(home, "2031-05-06T19:00:00Z");
    await at(home, "2031-05-20T19:00:00Z");
    expect(await fired(home)).toHaveLength(1);
    expect(await shown(home.agent)).not.toHaveProperty("next");
  });

  it("stops when its maker may not ask here any more", async () => {
    const home = await freshHousehold();
    await make(home.agent, DAILY);
    const { keys } = await home.owner.read("/api/v1/keys");
    const key = (keys as Answered[]).find(({ actor }) => actor === "scout");
    await expectOk(await home.owner.fetch(`/api/v1/keys/${key.id}`, { method: "DELETE" }));

    await at(home, "2031-05-05T19:00:00Z");

    expect(await fired(home)).toEqual([]);
    expect(await noted(home)).toEqual(["schedule_paused: scout may not ask here any more"]);
    expect(await shown(home.owner)).toMatchObject({ paused: true });
  });

  it.each([
    // Berlin leaves out 02:00 to 03:00 on March 30th and has it twice on October 26th; New York on March 9th, November 2nd.
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
    "fires once in the night in which the clocks of %s change (%s)",
    async (zone, from, to, when) => {
      vi.setSystemTime(Date.parse(from));
      const home = await freshHousehold({ time_zone: "UTC" });
      const cron = zone.startsWith("A") && from.includes("-11-") ? "30 1 * * *" : "30 2 * * *";
      await make(home.agent, { ...DAILY, cron, time_zone: zone, skip_if_open: false });
      for (let now = Date.parse(from); now <= Date.parse(to); now += 30 * MINUTE)
        await at(home, now);
      expect(await noted(home)).toEqual([`schedule_fired: ${when}`]);
    },
  );
});

describe("a recurring observation", () => {
  const LOOK = { intent: "Is the gate shut?", requires: ["take-photo"] };
  const NIGHTLY = { id: "gate", cron: "0 22 * * *", request: LOOK, skip_if_open: false };

  it("joins a thread that asks the same already, and is joined by who asks later", async () => {
    const home = await freshHousehold();
    await make(home.agent, NIGHTLY);
    const rover = await home.member("rover", "agent");
    const first = await rover.ask(LOOK.intent, LOOK);
    await at(home, "2031-05-05T22:00:00Z");
    const { ref } = (await shown(home.agent, "gate")).last;
    expect((await home.agent.read(`/mess/${ref}`)).envelope).toMatchObject({
      status: "superseded",
      superseded_by: first,
    });

    await rover.tell(first, { cancel: {} });
    await eventually(async () =>
      expect((await home.owner.read("/api/v1/events?limit=500")).events.at(-1).status).toBe(
        "cancelled",
      ),
    );
    await at(home, "2031-05-06T22:00:00Z");
    const { ref: own } = (await shown(home.agent, "gate")).last;
    expect((await home.agent.read(`/mess/${own}`)).envelope.status).toBe("pending");
    const later = await rover.ask(LOOK.intent, LOOK);
    expect((await rover.read(`/mess/${later}`)).envelope.superseded_by).toBe(own);
  });

  it("is asked by itself where the other does not let it in", async () => {
    const home = await freshHousehold();
    await make(home.agent, NIGHTLY);
    await home.owner.ask(LOOK.intent, LOOK);
    vi.spyOn(ThreadObject.prototype, "join").mockImplementationOnce(async () => ({
      ok: false,
      error: { code: "thread_finished", message: "it is over", hint: "Ask anew." },
    }));
    await at(home, "2031-05-05T22:00:00Z");
    const { ref } = (await shown(home.agent, "gate")).last;
    expect((await home.agent.read(`/mess/${ref}`)).envelope.status).toBe("pending");
    const later = await home.owner.ask(LOOK.intent, LOOK);
    expect((await home.owner.read(`/mess/${later}`)).envelope.superseded_by).toBe(ref);
  });
});

describe("a rotation", () => {
  it("asks the next member first each time, and goes on where somebody cannot be asked", async () => {
    const home = await freshHousehold();
    await home.member("cleo", "executor");
    await expectOk(
      await home.owner.say(
        { config: { executor: { id: "ann", capabilities: ["carry"] } } },
        { config: { executor: { id: "cleo", capabilities: ["look"] } } },
      ),
    );
    await make(home.agent, { ...DAILY, skip_if_open: false, rotation: ["ann", "cleo", "ben"] });

    const turns: unknown[] = [];
    for (const day of [5, 6, 7]) {
      await at(home, `2031-05-0${day}T19:00:00Z`);
      const { last } = await shown(home.agent);
      const route = await home.agent.read(`/mess/${last.ref}/route`);
      const first = (route.candidates as Answered[]).filter(({ rung }) => rung === 1);
      turns.push([last.member, first.map(({ id }) => id), first[0].reasons.at(-1)]);
    }

    const reason = "its turn by schedule trash";
    expect(turns).toEqual([
      ["ann", ["ann"], reason],
      ["ben", ["ben"], reason],
      ["ann", ["ann"], reason],
    ]);
  });

  it("can take in its maker", async () => {
    const home = await freshHousehold();
    const pat = await home.member("pat", "owner");
    await expectOk(
      await home.owner.say({ config: { executor: { id: "pat", capabilities: ["carry"] } } }),
    );
    await make(pat, { ...DAILY, rotation: ["pat", "ben"] });
    await at(home, "2031-05-05T19:00:00Z");
    const { last } = await shown(pat);
    expect(last.member).toBe("pat");
    await pat.claim(last.ref);
    expect((await pat.read(`/mess/${last.ref}`)).envelope.executor).toBe("pat");
  });
});

describe("keeping schedules", () => {
  it("makes the same one once, and refuses another of its id", async () => {
    const home = await freshHousehold();
    expect((await home.agent.post("/api/v1/schedules", DAILY)).status).toBe(201);
    expect((await home.agent.post("/api/v1/schedules", DAILY)).status).toBe(200);
    const other = await home.agent.post("/api/v1/schedules", { ...DAILY, cron: "@weekly" });
    expect(await refusalOf(other)).toBe("409 already_exists");
  });

  it("changes what is given, takes out what is null, and pauses", async () => {
    const home = await freshHousehold();
    await make(home.agent, { ...DAILY, rotation: ["ben"] });
    const changed = await expectOk(
      await patch(home.agent, "trash", { cron: "30 7 * * *", rotation: null }),
    );
    expect(changed.schedule).toMatchObject({
      cron: "30 7 * * *",
      next: "2031-05-06T07:30:00+00:00",
    });
    expect(changed.schedule).not.toHaveProperty("rotation");
    await expectOk(await patch(home.agent, "trash", { paused: true }));
    await at(home, "2031-05-08T08:00:00Z");
    await expectOk(await patch(home.agent, "trash", { paused: false }));
    await at(home, "2031-05-08T08:01:00Z");
    expect(await noted(home)).toEqual([]);
    expect((await shown(home.agent)).next).toBe("2031-05-09T07:30:00+00:00");
  });

  it("ends with the schedule, and leaves its threads", async () => {
    const home = await freshHousehold();
    await make(home.agent, DAILY);
    await at(home, "2031-05-05T19:00:00Z");
    const [ref] = await fired(home);
    await expectOk(await home.agent.fetch("/api/v1/schedules/trash", { method: "DELETE" }));
    await at(home, "2031-05-06T19:00:00Z");
    expect(await fired(home)).toEqual([ref]);
    expect((await home.agent.read(`/mess/${ref}`)).envelope.status).toBe("pending");
    expect((await home.agent.read("/api/v1/schedules")).schedules).toEqual([]);
  });

  it("is for agents, each for itself, and for owners", async () => {
    const home = await freshHousehold();
    const other = await home.member("rover", "agent");
    await make(home.agent, DAILY);
    const foreign = await other.fetch("/api/v1/schedules/trash");
    const unknown = await other.fetch("/api/v1/schedules/nothing");
    expect([foreign.status, await foreign.text()]).toEqual([404, await unknown.text()]);
    expect(await refusalOf(await patch(other, "trash", { paused: true }))).toBe("404 not_found");
    const removal = await other.fetch("/api/v1/schedules/trash", { method: "DELETE" });
    expect(await refusalOf(removal)).toBe("404 not_found");
    expect((await other.read("/api/v1/schedules")).schedules).toEqual([]);
    expect((await home.owner.read("/api/v1/schedules")).schedules).toHaveLength(1);
    const byExecutor = await home.ben.post("/api/v1/schedules", DAILY);
    expect(await refusalOf(byExecutor)).toBe("403 wrong_role");
  });

  it.each<[string, object]>([
    ["cron", { cron: "tomorrow" }],
    ["cron", { cron: "0 0 31 2 *" }],
    ["request.needed_by", { request: { ...TRASH, needed_by: "2031-06-01T00:00:00Z" } }],
    ["until", { until: "soon" }],
  ])("refuses a fault in %s with its place, and keeps nothing", async (path, change) => {
    const home = await freshHousehold();
    const refused = await home.agent.post("/api/v1/schedules", { ...DAILY, ...change });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { code: "bad_field", path } });
    expect((await home.agent.read("/api/v1/schedules")).schedules).toEqual([]);
  });
});

describe("schedules in the configuration", () => {
  it("come back as they were set, also in another household", async () => {
    const home = await freshHousehold();
    await make(home.agent, { ...DAILY, rotation: ["ben"], time_zone: "Asia/Tokyo" });
    await make(home.owner, { id: "plants", cron: "@weekly", request: "water the plants" });
    const { config } = await home.owner.read("/api/v1/config");
    const { schedules } = config;
    expect(schedules).toEqual({
      plants: { by: "owner", cron: "@weekly", request: { intent: "water the plants" } },
      trash: {
        by: "scout",
        cron: "0 19 * * *",
        request: TRASH,
        rotation: ["ben"],
        time_zone: "Asia/Tokyo",
      },
    });
    const second = await freshHousehold();
    await expectOk(await second.owner.say({ config: { schedules } }));
    expect((await second.owner.read("/api/v1/config")).config.schedules).toEqual(schedules);
    expect((await second.agent.read("/api/v1/schedules")).schedules).toHaveLength(1);
  });

  it("are taken out by null, warn of a maker who may not ask, and are refused whole", async () => {
    const home = await freshHousehold();
    await make(home.agent, DAILY);
    const bad = await home.owner.say({
      config: { schedules: { trash: null, other: { cron: "never", request: "x" } } },
    });
    expect(await bad.json()).toMatchObject({ error: { path: "config.schedules.other.cron" } });
    expect((await home.agent.read("/api/v1/schedules")).schedules).toHaveLength(1);
    const { MESS } = await expectOk(
      await home.owner.say({
        config: { schedules: { trash: null, look: { by: "ghost", cron: "@daily", request: "x" } } },
      }),
    );
    expect(MESS[0].ack.warnings).toEqual([
      "schedule look asks in the name of ghost, who may not ask here",
    ]);
    expect((await home.owner.read("/api/v1/schedules")).schedules).toMatchObject([{ id: "look" }]);
  });
});
