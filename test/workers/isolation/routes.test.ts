/** Calls every route with the credentials of another household that has the same members, client ids and day. */
import { describe, expect, it } from "vitest";
import {
  listGroupObjects,
  listObjects,
  listSourceObjects,
  readHouseholdContents,
} from "../reliability/store-contents.ts";
import { isPublic, type RouteProbe } from "./probe.ts";
import { ROUTE_PROBES } from "./route-probes.ts";
import { expectComplete, findLeaks, maskNames, sendPair, useScene } from "./scene.ts";
import { listRoutes } from "./surface.ts";
import type { Names } from "./twins.ts";

const getScene = useScene();

/** The victim's thread under other spellings, each for the real and for the absent one. */
function listSpellings({ ref, household, clientId, file }: Names): string[] {
  const [, day = "", serial = "", slug = ""] = /^(\d{4}-\d\d-\d\d)-(\d{3})-(.*)$/.exec(ref) ?? [];
  return [
    ref,
    clientId,
    `${day}-${serial}`,
    slug,
    `${household}/${ref}`,
    `${household}%2F${ref}`,
    `..%2F${household}%2F${ref}`,
    `${household}:${ref}`,
    `${ref}%2Fstatus-001`,
    encodeURIComponent(`content://${ref}/${file}`),
    `${ref}%00`,
    ref.toUpperCase(),
    `%20${ref}`,
  ];
}

/** Pairs of names of the victim's things and of nothing, for each way to name them. */
function listNamePairs(key: string, isFull: boolean): [real: Names, absent: Names][] {
  const { attacker, victim, absent } = getScene();
  const pairs: [Names, Names][] = [[victim.names, absent]];
  const [reals, absents] = [listSpellings(victim.names), listSpellings(absent)];
  if (key.includes(":ref"))
    for (const [index, ref] of (isFull ? reals : reals.slice(1, 4)).entries())
      pairs.push([
        { ...victim.names, ref },
        { ...absent, ref: absents[isFull ? index : index + 1]! },
      ]);
  // The victim's file, upload, delivery or link under the name of the attacker's own thread.
  if (key.includes(":ref/") && /:(?:id|jti)/.test(key)) {
    const { ref } = attacker.names;
    pairs.push([
      { ...victim.names, ref },
      { ...absent, ref },
    ]);
  }
  return pairs;
}

/** Whether the attacker's call for a thing of its own is refused in the same way, so for its role or credential. */
async function isRefusedForOwn(
  probe: Exclude<RouteProbe, { public: string }>,
  headers: Record<string, string>,
  status: number,
): Promise<boolean> {
  const { attacker, send } = getScene();
  const own = await send(await probe.build(attacker.names, attacker), headers);
  return own.status === status;
}

const PROBES = Object.entries(ROUTE_PROBES).flatMap(([key, probe]) =>
  isPublic(probe) ? [] : [[key, probe] as const],
);
const PROBED_KINDS = /:(?:ref|name|id|jti|actor|group|agent|source)/;

const LAST_CALLS = ["DELETE /mess/:ref", "POST /groups/wipe"];

/** The order of the victim's own calls: those that end its things come last, and those that end the most at the end. */
const getLiveRank = (key: string): number =>
  LAST_CALLS.includes(key) ? 2 : Number(key.startsWith("DELETE") || key.endsWith("/close"));

describe("isolation of households by route", () => {
  it("every route has a probe or is declared public, and every probe has a route", () => {
    const hint =
      "these routes need a probe in test/workers/isolation/route-probes.ts, or a reason there why they are public";
    expectComplete(ROUTE_PROBES, listRoutes(), hint);
  });

  it.each(PROBES)(
    "another household's things get the response, and cause the work, of things that do not exist: %s",
    async (key, probe) => {
      const { attacker, callers, foreignTexts, send } = getScene();
      for (const [naming, namingNothing] of probe.caller === "none" ? callers.slice(-1) : callers)
        for (const [real, nothing] of listNamePairs(key, /^(?:owner|agent)$/.test(naming.who))) {
          const { who, headers } = naming;
          const label = `${key} as ${who}, naming ${real.ref}`;
          const [calling, callingNothing] = [
            await probe.build(real, attacker),
            await probe.build(nothing, attacker),
          ];
          const [foreign, missing] = await sendPair(
            () => send(calling, headers),
            () => send(callingNothing, namingNothing.headers),
          );

          expect(findLeaks(foreign, calling, foreignTexts), label).toEqual([]);
          if (JSON.stringify(calling) === JSON.stringify(callingNothing)) continue;
          expect(maskNames(foreign.text, real), label).toBe(maskNames(missing.text, nothing));
          if (!(probe.namesHousehold ?? naming.namesHousehold))
            expect(foreign.work, label).toEqual(missing.work);
          if (PROBED_KINDS.test(key) && foreign.status !== 404)
            expect(await isRefusedForOwn(probe, headers, foreign.status), label).toBe(true);
        }
    },
    60_000,
  );

  it("the probes change nothing in the victim's household and create no object in the attacker's", async () => {
    const { attacker, victim, before } = getScene();
    expect(await readHouseholdContents(victim.home.id)).toEqual(before);
    expect(await listObjects(attacker.home.id, listSpellings(victim.names))).toEqual([]);
    const groups = [victim.names.group, getScene().absent.group];
    expect(await listGroupObjects(attacker.home.id, groups)).toEqual([]);
    const sources = [victim.names.source, getScene().absent.source];
    expect(await listSourceObjects(attacker.home.id, sources)).toEqual([]);
  });

  it.each(PROBES.toSorted(([a], [b]) => getLiveRank(a) - getLiveRank(b)))(
    "the same call succeeds for the household that has the things: %s",
    async (_key, probe) => {
      if (probe.neverSucceeds !== undefined) return;
      const { victim, send } = getScene();
      const own = [victim.home.owner, victim.home.agent, victim.home.ann];
      const headers = [
        ...own.map(({ key }) => ({ Authorization: `Bearer ${key}` })),
        { Cookie: victim.cookies, "X-MESS-Client": "respond", Origin: "https://mess.test" },
      ];
      const statuses: number[] = [];
      for (const one of headers)
        statuses.push((await send(await probe.build(victim.names, victim), one)).status);
      expect(
        statuses.some((status) => status < 400),
        String(statuses),
      ).toBe(true);
    },
  );
});
