/** Stored schedules: created, changed and deleted over HTTP, and in the configuration. */
import { describe, expect, it } from "vitest";
import { type Caller, expectOkJson, createFreshHousehold, readRefusal } from "../support.ts";
import {
  setTime,
  DAILY,
  listFirings,
  createSchedule,
  listScheduleEvents,
  readSchedules,
  startClock,
  TRASH,
} from "./support.ts";

startClock();

const patchSchedule = (caller: Caller, id: string, change: object) =>
  caller.fetch(`/api/v1/schedules/${id}`, {
    method: "PATCH",
    body: JSON.stringify(change),
    headers: { "Content-Type": "application/json" },
  });

describe("schedules over HTTP", () => {
  it("a schedule is created once, and another one with its id is refused", async () => {
    const home = await createFreshHousehold();
    expect((await home.agent.post("/api/v1/schedules", DAILY)).status).toBe(201);
    expect((await home.agent.post("/api/v1/schedules", DAILY)).status).toBe(200);
    const other = await home.agent.post("/api/v1/schedules", { ...DAILY, cron: "@weekly" });
    expect(await readRefusal(other)).toBe("409 already_exists");
  });

  it("a schedule is changed by the given fields, loses fields that are null, and can be paused", async () => {
    const home = await createFreshHousehold();
    await createSchedule(home.agent, { ...DAILY, rotation: ["ben"] });
    const changed = await expectOkJson(
      await patchSchedule(home.agent, "trash", { cron: "30 7 * * *", rotation: null }),
    );
    expect(changed.schedule).toMatchObject({
      cron: "30 7 * * *",
      next: "2031-05-06T07:30:00+00:00",
    });
    expect(changed.schedule).not.toHaveProperty("rotation");
    await expectOkJson(await patchSchedule(home.agent, "trash", { paused: true }));
    await setTime(home, "2031-05-08T08:00:00Z");
    await expectOkJson(await patchSchedule(home.agent, "trash", { paused: false }));
    await setTime(home, "2031-05-08T08:01:00Z");
    expect(await listScheduleEvents(home)).toEqual([]);
    expect((await readSchedules(home.agent)).next).toBe("2031-05-09T07:30:00+00:00");
  });

  it("a deleted schedule creates no more threads, and its existing threads stay", async () => {
    const home = await createFreshHousehold();
    await createSchedule(home.agent, DAILY);
    await setTime(home, "2031-05-05T19:00:00Z");
    const [ref] = await listFirings(home);
    await expectOkJson(await home.agent.fetch("/api/v1/schedules/trash", { method: "DELETE" }));
    await setTime(home, "2031-05-06T19:00:00Z");
    expect(await listFirings(home)).toEqual([ref]);
    expect((await home.agent.read(`/mess/${ref}`)).envelope.status).toBe("pending");
    expect((await home.agent.read("/api/v1/schedules")).schedules).toEqual([]);
  });

  it("agents manage their own schedules, and owners all of them", async () => {
    const home = await createFreshHousehold();
    const other = await home.addMember("rover", "agent");
    await createSchedule(home.agent, DAILY);
    const foreign = await other.fetch("/api/v1/schedules/trash");
    const unknown = await other.fetch("/api/v1/schedules/nothing");
    expect([foreign.status, await foreign.text()]).toEqual([404, await unknown.text()]);
    expect(await readRefusal(await patchSchedule(other, "trash", { paused: true }))).toBe(
      "404 not_found",
    );
    const removal = await other.fetch("/api/v1/schedules/trash", { method: "DELETE" });
    expect(await readRefusal(removal)).toBe("404 not_found");
    expect((await other.read("/api/v1/schedules")).schedules).toEqual([]);
    expect((await home.owner.read("/api/v1/schedules")).schedules).toHaveLength(1);
    const byExecutor = await home.ben.post("/api/v1/schedules", DAILY);
    expect(await readRefusal(byExecutor)).toBe("403 wrong_role");
  });

  it.each<[string, object]>([
    ["cron", { cron: "tomorrow" }],
    ["cron", { cron: "0 0 31 2 *" }],
    ["request.needed_by", { request: { ...TRASH, needed_by: "2031-06-01T00:00:00Z" } }],
    ["until", { until: "soon" }],
  ])(
    "a schedule with an error in %s is refused with its path, and not stored",
    async (path, change) => {
      const home = await createFreshHousehold();
      const refused = await home.agent.post("/api/v1/schedules", { ...DAILY, ...change });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ error: { code: "bad_field", path } });
      expect((await home.agent.read("/api/v1/schedules")).schedules).toEqual([]);
    },
  );
});

describe("schedules in the configuration", () => {
  it("schedules in the configuration are exported unchanged, also for another household", async () => {
    const home = await createFreshHousehold();
    await createSchedule(home.agent, { ...DAILY, rotation: ["ben"], time_zone: "Asia/Tokyo" });
    await createSchedule(home.owner, {
      id: "plants",
      cron: "@weekly",
      request: "water the plants",
    });
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
    const second = await createFreshHousehold();
    await expectOkJson(await second.owner.postBlocks({ config: { schedules } }));
    expect((await second.owner.read("/api/v1/config")).config.schedules).toEqual(schedules);
    expect((await second.agent.read("/api/v1/schedules")).schedules).toHaveLength(1);
  });

  it("schedules in the configuration are deleted by null, and warn if the creator may not send requests", async () => {
    const home = await createFreshHousehold();
    await createSchedule(home.agent, DAILY);
    const bad = await home.owner.postBlocks({
      config: { schedules: { trash: null, other: { cron: "never", request: "x" } } },
    });
    expect(await bad.json()).toMatchObject({ error: { path: "config.schedules.other.cron" } });
    expect((await home.agent.read("/api/v1/schedules")).schedules).toHaveLength(1);
    const { MESS } = await expectOkJson(
      await home.owner.postBlocks({
        config: { schedules: { trash: null, look: { by: "ghost", cron: "@daily", request: "x" } } },
      }),
    );
    expect(MESS[0].ack.warnings).toEqual([expect.stringMatching(/\blook\b.*\bghost\b/)]);
    expect((await home.owner.read("/api/v1/schedules")).schedules).toMatchObject([{ id: "look" }]);
  });
});
