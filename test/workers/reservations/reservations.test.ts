import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RESERVATION_LIMITS } from "../../../src/mess/reservations/limits.ts";
import { getCode, unwrap } from "../outcomes.ts";
import { createReservingHousehold, list, reserve } from "./support.ts";

/** Ahead of the real clock, so that no alarm runs in between. */
const START = Date.parse("2031-05-05T08:00:00Z");
const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.setSystemTime(START);
});
afterEach(() => {
  vi.useRealTimers();
});

const advance = (minutes: number) => vi.setSystemTime(Date.now() + minutes * MINUTE_MS);

describe("reserving names", () => {
  it("a reservation is seen by the whole household until it expires after 30 minutes", async () => {
    const home = await createReservingHousehold();

    await reserve(home, home.scout, { names: ["the 3D printer"], reason: "a bracket" });

    const seen = {
      name: "the 3D printer",
      mode: "exclusive",
      held_by: "scout",
      since: "2031-05-05T08:00:00+00:00",
      until: "2031-05-05T08:30:00+00:00",
      reason: "a bracket",
    };
    expect(await list(home, home.rover)).toEqual([seen]);
    expect(await list(home, home.scout)).toEqual([{ ...seen, mine: true }]);
    advance(30);
    expect(await list(home, home.rover)).toEqual([]);
  });

  it("an overlapping name of somebody else is refused with the holder and the end", async () => {
    const home = await createReservingHousehold();
    await reserve(home, home.scout, { names: ["src/mess/**"], seconds: 60, reason: "refactoring" });

    const refused = await home.rpc.reservations.reserve(home.rover, {
      names: ["docs/http.md", "src/mess/errors.ts"],
    });

    expect(refused).toMatchObject({
      ok: false,
      error: {
        code: "reserved",
        reservations: [
          {
            name: "src/mess/**",
            mode: "exclusive",
            held_by: "scout",
            until: "2031-05-05T08:01:00+00:00",
            reason: "refactoring",
          },
        ],
      },
    });
    expect((await list(home, home.rover)).map(({ name }) => name)).toEqual(["src/mess/**"]);
  });

  it("the holder sees once who wanted a reserved name", async () => {
    const home = await createReservingHousehold();
    await reserve(home, home.scout, { names: ["room 4"] });
    for (const reason of ["a call", "the same call"])
      await home.rpc.reservations.reserve(home.rover, { names: ["Room 4"], reason });

    const [extended] = await reserve(home, home.scout, { names: ["room 4"] });

    expect(extended!.wanted_by).toEqual([
      { actor: "rover", at: "2031-05-05T08:00:00+00:00", reason: "a call" },
    ]);
  });

  it("shared reservations of one name coexist, and keep out exclusive ones", async () => {
    const home = await createReservingHousehold();
    const names = ["docs/**"];
    await reserve(home, home.scout, { names, mode: "shared" });
    await reserve(home, home.rover, { names, mode: "shared" });

    const codes = [
      await home.rpc.reservations.reserve(home.olga, { names: ["docs/http.md"] }),
      await home.rpc.reservations.reserve(home.scout, { names, mode: "exclusive" }),
      await home.rpc.reservations.reserve(home.olga, { names: ["docs/a.md"], mode: "shared" }),
    ].map(getCode);

    expect(codes).toEqual(["reserved", "reserved", "ok"]);
  });

  it("of fifty concurrent calls for one name exactly one gets it", async () => {
    const home = await createReservingHousehold();
    const callers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => home.addKey(`agent-${index}`, "agent")),
    );

    const outcomes = await Promise.all(
      callers.map((caller) => home.rpc.reservations.reserve(caller, { names: ["the car"] })),
    );

    expect(outcomes.map(getCode).filter((code) => code === "ok")).toHaveLength(1);
    expect(await list(home, home.olga)).toHaveLength(1);
  });

  it("the holder extends a reservation by reserving it again, under any spelling of the name", async () => {
    const home = await createReservingHousehold();
    await reserve(home, home.scout, { names: ["src/a.ts"], seconds: 600, reason: "types" });
    advance(9);

    await reserve(home, home.scout, { names: ["./SRC/a.ts"], seconds: 600 });

    expect(await list(home, home.scout)).toMatchObject([
      {
        name: "src/a.ts",
        since: "2031-05-05T08:00:00+00:00",
        until: "2031-05-05T08:19:00+00:00",
        reason: "types",
      },
    ]);
  });

  it("a name is free for others once its reservation has expired", async () => {
    const home = await createReservingHousehold();
    await reserve(home, home.scout, { names: ["the car"], seconds: 60 });
    advance(1);

    const [taken] = await reserve(home, home.rover, { names: ["the car"] });

    expect(taken).toMatchObject({ held_by: "rover", mine: true });
    expect(getCode(await home.rpc.reservations.reserve(home.scout, { names: ["the car"] }))).toBe(
      "reserved",
    );
  });

  it("a key that ends loses its reservations, and its member reserves them again", async () => {
    const home = await createReservingHousehold();
    await reserve(home, home.scout, { names: ["the car"] });
    await home.rpc.identity.revokeKey(home.scout.credential!.slice("key:".length));
    const renewed = await home.addKey("scout", "agent");

    expect(await list(home, home.rover)).toEqual([]);
    expect(getCode(await home.rpc.reservations.reserve(home.scout, { names: ["the car"] }))).toBe(
      "unauthenticated",
    );
    await reserve(home, renewed, { names: ["the car"] });
    expect(await list(home, home.rover)).toMatchObject([{ held_by: "scout" }]);
  });

  it.each([
    ["a time of day", "15:00", "2031-05-05T15:00:00+02:00"],
    ["a time of day that has passed", "9:30", "2031-05-06T09:30:00+02:00"],
    ["a local time", "2031-05-05T12:15", "2031-05-05T12:15:00+02:00"],
    ["a duration", "2h30m", "2031-05-05T12:30:00+02:00"],
    ["a time with an offset", "2031-05-05T12:15:00Z", "2031-05-05T14:15:00+02:00"],
  ])("reserves until %s on the household's clock", async (_what, until, end) => {
    const home = await createReservingHousehold("Europe/Rome");

    const [reserved] = await reserve(home, home.scout, { names: ["the 3D printer"], until });

    expect(reserved!.until).toBe(end);
  });

  it.each([
    ["a time that is none", { until: "soon" }, "bad_time", "until"],
    ["no duration", { until: "0m" }, "bad_field", "until"],
    ["a time in the past", { until: "2031-05-05T07:59:00Z" }, "bad_field", "until"],
    ["a time after more than a day", { until: "2031-05-06T08:01:00Z" }, "bad_field", "until"],
    ["both a time and seconds", { until: "15:00", seconds: 60 }, "bad_field", "until"],
    ["a path with two dots", { names: ["ok", "../etc"] }, "bad_field", "names.1"],
    ["an id that is not the caller's", { as: "a_000000000000" }, "unknown_member", undefined],
  ])("refuses %s", async (_what, input, code, path) => {
    const home = await createReservingHousehold();

    const refused = await home.rpc.reservations.reserve(home.scout, { names: ["x"], ...input });

    expect(refused).toMatchObject({ ok: false, error: { code } });
    if (path !== undefined) expect(refused).toMatchObject({ error: { path } });
    expect(await list(home, home.scout)).toEqual([]);
  });

  it("a key has at most 50 reservations and a household 200, and extending one needs no room", async () => {
    const home = await createReservingHousehold();
    const { perCredential, perHousehold } = RESERVATION_LIMITS;
    const buildNames = (caller: number, from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `file ${caller}-${from + index}`);
    const callers = await Promise.all(
      Array.from({ length: perHousehold / perCredential }, (_, index) =>
        home.addKey(`agent-${index}`, "agent"),
      ),
    );
    for (const [index, caller] of callers.entries()) {
      await reserve(home, caller, { names: buildNames(index, 0, 25) });
      await reserve(home, caller, { names: buildNames(index, 25, 50) });
    }

    const codes = [
      await home.rpc.reservations.reserve(callers[0]!, { names: ["one more"] }),
      await home.rpc.reservations.reserve(home.scout, { names: ["one more"] }),
      await home.rpc.reservations.reserve(callers[0]!, { names: buildNames(0, 0, 1) }),
    ].map(getCode);

    expect(codes).toEqual(["too_many", "too_many", "ok"]);
  });

  it("a caller with a link instead of a credential is refused", async () => {
    const home = await createReservingHousehold();
    const { credential: _credential, ...guest } = home.scout;

    const outcomes = [
      await home.rpc.reservations.reserve(guest, { names: ["x"] }),
      await home.rpc.reservations.release(guest, {}),
      await home.rpc.reservations.list(guest),
      await home.rpc.reservations.list({
        ...home.scout,
        scope: { ref: "2031-05-05-001", permissions: ["respond"] },
      }),
    ];

    expect(outcomes.map(getCode)).toEqual(Array.from({ length: 4 }, () => "unauthenticated"));
  });
});

describe("releasing names", () => {
  it("the holder releases some or all of its own", async () => {
    const home = await createReservingHousehold();
    await reserve(home, home.scout, { names: ["a", "b", "c"] });
    await reserve(home, home.rover, { names: ["d"] });

    const some = await home.rpc.reservations.release(home.scout, { names: ["B", "unknown"] });
    const all = await home.rpc.reservations.release(home.scout, {});

    expect(unwrap(some)).toEqual(["b"]);
    expect(unwrap(all)).toEqual(["a", "c"]);
    expect((await list(home, home.olga)).map(({ name }) => name)).toEqual(["d"]);
  });

  it("a reservation of somebody else stays, and nothing of that call is released", async () => {
    const home = await createReservingHousehold();
    await reserve(home, home.scout, { names: ["a"] });
    await reserve(home, home.rover, { names: ["b"] });

    const refused = [
      await home.rpc.reservations.release(home.scout, { names: ["a", "b"] }),
      await home.rpc.reservations.release(home.olga, { names: ["a"] }),
      await home.rpc.reservations.release(home.scout, { names: ["b"], force: true }),
      await home.rpc.reservations.release(home.olga, { force: true }),
    ];

    expect(refused.map(getCode)).toEqual([
      "not_holder",
      "not_holder",
      "wrong_role",
      "missing_field",
    ]);
    expect(await list(home, home.olga)).toHaveLength(2);
  });

  it("an owner forces the release of all holders of a name, which the audit trail records", async () => {
    const home = await createReservingHousehold();
    await reserve(home, home.scout, { names: ["docs/**"], mode: "shared" });
    await reserve(home, home.rover, { names: ["docs/**", "src/**"], mode: "shared" });

    const released = await home.rpc.reservations.release(home.olga, {
      names: ["docs/"],
      force: true,
    });

    expect(unwrap(released)).toEqual(["docs/**"]);
    expect((await list(home, home.olga)).map(({ name }) => name)).toEqual(["src/**"]);
    const { entries } = await home.rpc.audit.listEntries(undefined, 2);
    expect(entries).toMatchObject(
      ["rover", "scout"].map((held_by) => ({
        action: "reservation_released",
        actor: "olga",
        credential: "key",
        target: "docs/**",
        detail: { held_by, mode: "shared" },
      })),
    );
  });

  it("an owner's force on an own reservation is no entry of the audit trail", async () => {
    const home = await createReservingHousehold();
    await reserve(home, home.olga, { names: ["the car"] });

    unwrap(await home.rpc.reservations.release(home.olga, { names: ["the car"], force: true }));

    const { entries } = await home.rpc.audit.listEntries(undefined, 1);
    expect(entries[0]!.action).not.toBe("reservation_released");
  });
});
