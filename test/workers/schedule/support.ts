/** Households with a test clock, and their schedules as the API returns them. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";
import { type Answered, type Caller, expectOkJson, type TestHousehold } from "../support.ts";

/** A Monday ahead of the real clock, so that alarms do not fire on their own. */
export const START = Date.parse("2031-05-05T08:00:00Z");

/** Sets the clock to `START` before each test of the file. */
export function startClock(): void {
  beforeEach(() => {
    vi.setSystemTime(START);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}

export const getObject = ({ id }: TestHousehold) => env.HOUSEHOLDS.getByName(id);

/** Runs the household's alarm, which otherwise depends on the real clock. */
export const runAlarm = (home: TestHousehold) => runDurableObjectAlarm(getObject(home));

/** Moves the clock to the time, and runs the household's alarm. */
export async function setTime(home: TestHousehold, time: string | number): Promise<void> {
  vi.setSystemTime(typeof time === "string" ? Date.parse(time) : time);
  await runAlarm(home);
}

export const readEnvelope = async (caller: Caller, ref: string): Promise<Answered> =>
  (await caller.read(`/mess/${ref}`)).envelope;

export const TRASH = { intent: "take the trash out", requires: ["carry"] };
export const DAILY = { id: "trash", cron: "0 19 * * *", request: TRASH };

export const createSchedule = async (caller: Caller, schedule: object): Promise<Answered> =>
  (await expectOkJson(await caller.post("/api/v1/schedules", schedule))).schedule;

export const readSchedules = async (caller: Caller, id = "trash"): Promise<Answered> =>
  (await caller.read(`/api/v1/schedules/${id}`)).schedule;

/** The household's events about schedules: action and note. */
export async function listScheduleEvents({ owner }: TestHousehold): Promise<string[]> {
  const { events } = await owner.read("/api/v1/events?limit=500");
  return (events as Answered[])
    .filter(({ schedule }) => schedule !== undefined)
    .map(({ action, note }) => `${action}: ${note}`);
}

/** The followups of the exchange in the thread. */
export const listExchangeMessages = async (caller: Caller, ref: string): Promise<Answered[]> =>
  (await caller.read(`/mess/${ref}`)).messages
    .filter(({ from }: Answered) => from === "exchange")
    .flatMap(({ MESS }: Answered) => MESS)
    .flatMap(({ followup }: Answered) => followup ?? []);

/** Refs of all threads of the household that schedules created. */
export async function listFirings(home: TestHousehold): Promise<string[]> {
  const { events } = await home.owner.read("/api/v1/events?limit=500");
  return (events as Answered[])
    .filter(({ action }) => action === "schedule_fired")
    .map(({ ref }) => ref as string);
}
