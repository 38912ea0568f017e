/** Sensor sources: messages at thresholds, repeated and unknown readings, silence, and refused settings. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { getSourceStub } from "../../../src/stubs.ts";
import { unwrap } from "../outcomes.ts";
import { readRefusal } from "../support.ts";
import type { LocalSource } from "./local-source.ts";
import { createLocalSource } from "./local-sources.ts";
import { pollNow, readPollTime } from "./poll-now.ts";
import { postSignedJson } from "./signed-request.ts";

afterEach(() => {
  vi.useRealTimers();
});

const SECRET = `whsec_${btoa("a secret of thirty-two characters")}`;

async function createSensor(series: object): Promise<LocalSource> {
  const source = await createLocalSource("sensor");
  source.provider.settings = { secret: SECRET, series };
  return await source.connect();
}

const post = ({ home, name }: LocalSource, json: unknown, id: string = crypto.randomUUID()) =>
  postSignedJson(`/hooks/sources/${home.id}/${name}`, SECRET, id, json);

const listSubjects = async (source: LocalSource): Promise<(string | undefined)[]> =>
  (await source.list()).map(({ subject }) => subject).toReversed();

describe("readings of a sensor", () => {
  it("a threshold makes one message when it is crossed and one when the value is back", async () => {
    const source = await createSensor({ freezer: { above: -15, hysteresis: 1, urgency: 3 } });

    for (const value of [-18, -14, -13, -15.5, -16.5])
      expect((await post(source, { series: "freezer", value, unit: "°C" })).status).toBe(200);

    expect(await listSubjects(source)).toEqual([
      "freezer: -14 °C, above -15 °C",
      "freezer: back to normal, -16.5 °C",
    ]);
    const [back, crossed] = await source.list();
    expect([crossed?.urgency, back?.urgency]).toEqual([3, 1]);
  });

  it("a list is read in the order of its times, and the message has the time of its reading", async () => {
    const source = await createSensor({ tank: { below: 20 } });

    await post(source, [
      { series: "tank", value: 25, at: "2026-01-01T12:00:00Z" },
      { series: "tank", value: 10, at: "2026-01-01T11:00:00Z" },
      { series: "unwatched", value: 1 },
    ]);

    const [back, crossed] = await source.list();
    expect(crossed).toMatchObject({ timestamp: "2026-01-01T11:00:00+00:00", sender: "tank" });
    expect(back).toMatchObject({ timestamp: "2026-01-01T12:00:00+00:00" });
  });

  it("a request that arrives again is not counted again after the value was back", async () => {
    const source = await createSensor({ tank: { above: 20 } });
    await post(source, { series: "tank", value: 30 }, "request-1");
    await post(source, { series: "tank", value: 10 }, "request-2");

    expect((await post(source, { series: "tank", value: 30 }, "request-1")).status).toBe(200);

    expect(await source.list()).toHaveLength(2);
  });

  it("readings that arrive at the same time make each message once", async () => {
    const source = await createSensor({ a: { above: 1 }, b: { above: 1 } });

    const responses = await Promise.all(
      ["a", "b", "a", "b"].map((series) => post(source, { series, value: 2 })),
    );

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const subjects = await listSubjects(source);
    expect(subjects).toHaveLength(2);
    expect(new Set(subjects)).toEqual(new Set(["a: 2, above 1", "b: 2, above 1"]));
  });

  it.each([
    ["no number", { series: "tank", value: "much" }],
    ["no series", { value: 1 }],
    ["a time that is none", { series: "tank", value: 1, at: "yesterday" }],
    ["a series that is not watched", { series: "tanks", value: 1 }],
    ["a text", "tank: 1"],
  ])("a request with %s is refused", async (_name, body) => {
    const source = await createSensor({ tank: { above: 20 } });

    expect(await readRefusal(await post(source, body))).toBe("400 bad_field");
    expect(await source.list()).toEqual([]);
  });

  it("more than 1,000 readings in one request are refused", async () => {
    const source = await createSensor({ tank: { above: 20 } });
    const many = Array.from({ length: 1_001 }, () => ({ series: "tank", value: 1 }));

    expect(await readRefusal(await post(source, many))).toBe("413 too_large");
  });

  it("a request with another secret is refused", async () => {
    const source = await createSensor({ tank: { above: 20 } });
    const path = `/hooks/sources/${source.home.id}/${source.name}`;
    const other = `whsec_${btoa("another secret of 32 characters.")}`;

    const response = await postSignedJson(path, other, "one", { series: "tank", value: 30 });

    expect(await readRefusal(response)).toBe("401 unauthenticated");
    expect(await source.list()).toEqual([]);
  });
});

describe("a sensor as time passes", () => {
  it("a series that stays silent makes one message, and one when it reports again", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const source = await createSensor({ door: { silent_after: "1h" } });
    await post(source, { series: "door", value: 0 });
    await pollNow(source);
    expect(await source.list()).toEqual([]);

    vi.setSystemTime(Date.now() + 3_600_000);
    await pollNow(source);
    await pollNow(source);
    await post(source, { series: "door", value: 0 });

    expect(await listSubjects(source)).toEqual([
      "door: silent, no reading for PT1H",
      "door: reports again, 0",
    ]);
  });

  it("a threshold with a duration is crossed without another reading", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const source = await createSensor({ pump: { above: 5, for: "10m" } });
    await vi.waitFor(async () => expect(await readPollTime(source)).toBeUndefined());
    await post(source, { series: "pump", value: 6 });
    expect(await readPollTime(source)).toBe(Date.now() + 600_000);
    await pollNow(source);
    expect(await source.list()).toEqual([]);
    expect(await readPollTime(source)).toBe(Date.now() + 600_000);

    vi.setSystemTime(Date.now() + 600_000);
    await pollNow(source);
    expect(await readPollTime(source)).toBeUndefined();

    expect(await listSubjects(source)).toEqual(["pump: 6, above 5"]);
    const { messages } = getSourceStub(env, source.home.id, source.name);
    expect(unwrap(await messages.status())).toMatchObject({ can_send: false });
  });
});

describe("settings of a sensor", () => {
  it.each([
    ["no threshold", { tank: {} }, "series.tank.above"],
    ["thresholds in the wrong order", { tank: { above: 1, below: 2 } }, "series.tank.below"],
    [
      "a hysteresis wider than the range",
      { tank: { above: 2, below: 1, hysteresis: 2 } },
      "series.tank.hysteresis",
    ],
    ["a duration that is none", { tank: { above: 1, for: "soon" } }, "series.tank.for"],
    ["a misspelled setting", { tank: { above: 1, hysterese: 2 } }, "series.tank"],
    ["no series", {}, "series"],
  ])("%s are refused with their path", async (_name, series, path) => {
    const source = await createLocalSource("sensor");

    const response = await source.configure({ secret: SECRET, series });

    const { error } = await response.json<{ error: { path: string } }>();
    expect([response.status, error.path]).toEqual([400, `config.sources.${source.name}.${path}`]);
  });
});
