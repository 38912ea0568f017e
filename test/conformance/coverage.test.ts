/** Checks that every decision, section, type, status, entry and code has a case, and that the suite's tools work. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ERRORS } from "../../src/mess/errors.ts";
import { isMap, type Json } from "../../src/mess/json.ts";
import { MEDIA } from "../../src/mess/wire/content/media.ts";
import { MESSAGE_TYPES } from "../../src/mess/wire/schema.ts";
import { STATUSES } from "../../src/mess/status.ts";
import { check } from "./check.ts";
import { TESTED_ELSEWHERE, IN_PART, SECTIONS_ELSEWHERE } from "./coverage.ts";
import { compare } from "./match.ts";
import { type Case, loadSuite } from "./suite.ts";

const suite = loadSuite();
const cited = new Set(suite.flatMap(({ follows }) => follows));
const DECISIONS = 69;

/** Lists every value under the key, at any depth. */
function listUnder(value: Json, key: string): Json[] {
  if (Array.isArray(value)) return value.flatMap((item) => listUnder(item, key));
  if (!isMap(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => [
    ...(name === key ? [item] : []),
    ...listUnder(item, key),
  ]);
}

const listKeys = (value: Json): string[] =>
  Array.isArray(value)
    ? value.flatMap(listKeys)
    : isMap(value)
      ? Object.entries(value).flatMap(([key, item]) => [key, ...listKeys(item)])
      : [];

const listCases = (...ops: string[]): Case[] => suite.filter(({ op }) => ops.includes(op));

describe("the conformance suite", () => {
  it("every conformance case has a unique id", () => {
    const ids = suite.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it("the conformance suite has a case for every decision that the core implements", () => {
    const missing = Array.from({ length: DECISIONS }, (_, index) => index + 1).filter(
      (number) => !cited.has(`decision ${number}`) && TESTED_ELSEWHERE[number] === undefined,
    );
    expect(missing).toEqual([]);
  });

  it("no conformance case cites a decision that the suite leaves out", () => {
    expect(
      Object.keys(TESTED_ELSEWHERE).filter((number) => cited.has(`decision ${number}`)),
    ).toEqual([]);
    expect(Object.keys(IN_PART).filter((number) => !cited.has(`decision ${number}`))).toEqual([]);
  });

  it("the conformance suite has a case for every section of docs/protocol.md with rules", () => {
    const page = readFileSync(new URL("../../docs/protocol.md", import.meta.url), "utf8");
    const all = [...page.matchAll(/^##+ (\d+(?:\.\d+)?)\.? /gm)].map(([, number]) => number!);
    const rules = all.filter((one) => !all.some((other) => other.startsWith(`${one}.`)));

    const missing = rules.filter((one) => !cited.has(`protocol §${one}`));
    expect(rules.length).toBeGreaterThan(40);
    expect(missing).toEqual(rules.filter((one) => one in SECTIONS_ELSEWHERE));
  });

  it("the conformance suite cites only sections and decisions that exist", () => {
    const known = /^(?:decision \d+|protocol §\d+(?:\.\d+)?)$/;

    expect([...cited].filter((one) => !known.test(one))).toEqual([]);
  });

  it("the conformance suite has every message type", () => {
    const types = new Set(
      listCases("parse", "thread").flatMap(({ expected }) => listKeys(expected)),
    );
    const acks = listCases("thread").flatMap(({ expected }) => listUnder(expected, "acks"));
    expect(acks.length).toBeGreaterThan(0);
    expect(MESSAGE_TYPES.filter((type) => type !== "ack" && !types.has(type))).toEqual([]);
  });

  it("the conformance suite reaches every status", () => {
    const lives = listCases("thread", "read").flatMap(({ expected, when }) => [
      ...listUnder(expected, "status"),
      ...listUnder(when, "then").flatMap((then) => listUnder(then, "status")),
    ]);
    expect(STATUSES.filter((status) => !lives.includes(status))).toEqual([]);
  });

  it("the conformance suite has every kind of entry", () => {
    const kinds = new Set(listCases("content").flatMap(({ expected }) => listKeys(expected)));
    const named = ["text", "url", "json", "structured", "ref", "embedding"];
    const all = [...MEDIA, ...named, "confirmation", "error", "location"];
    expect(all.filter((kind) => !kinds.has(kind))).toEqual([]);
  });

  it("the conformance suite has every code with which the core refuses", () => {
    const folder = new URL("../../src/mess/", import.meta.url);
    const source = readdirSync(folder, { recursive: true, encoding: "utf8" })
      // Quotas are counted by the household and the Worker; the table only names their codes. Groups,
      // reservations and message sources are no part of the protocol.
      .filter((name) => name.endsWith(".ts") && !["errors.ts", "quotas.ts"].includes(name))
      .filter((name) => !/^(?:groups|reservations|sources)\//.test(name))
      .map((name) => readFileSync(new URL(name, folder), "utf8"))
      .join("\n");
    const codes = Object.keys(ERRORS).filter((code) => source.includes(`"${code}"`));
    const refused = suite
      .flatMap(({ expected, when, op }) => [expected, op === "thread" ? when : null])
      .flatMap((value) => listUnder(value, "refused"))
      .map((refusal) => (isMap(refusal) ? refusal.code : refusal));
    expect(codes.length).toBeGreaterThan(25);
    expect(codes.filter((code) => !refused.includes(code))).toEqual([]);
  });
});

describe("the conformance runner", () => {
  it("the conformance runner gives the same results over JSON lines as in the same process", () => {
    const resolveFile = (name: string) => new URL(name, import.meta.url).pathname;
    const { status, stdout } = spawnSync(
      process.execPath,
      [resolveFile("run.ts"), "--", process.execPath, resolveFile("adapter-stdio.ts")],
      { encoding: "utf8" },
    );
    const all = String(suite.length);
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(stdout.match(/\d+/g)).toEqual([all, all]);
    expect(status).toBe(0);
  }, 60_000);

  it("the conformance runner reports the failing cases when an adapter has ended", () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        new URL("run.ts", import.meta.url).pathname,
        "--only",
        "times/day",
        "--",
        process.execPath,
        "-e",
        "",
      ],
      { encoding: "utf8" },
    );
    const lines = stdout.trim().split("\n");
    const failed = suite.filter(({ id }) => id.startsWith("times/day"));
    for (const { id } of failed)
      expect(lines.findIndex((line) => line.startsWith(`${id}: `))).toBeGreaterThanOrEqual(0);
    expect(lines.filter((line) => line.startsWith("    defect: "))).toHaveLength(failed.length);
    expect(lines.at(-1)?.match(/\d+/g)).toEqual(["0", String(failed.length)]);
    expect(status).toBe(1);
  }, 60_000);

  it("the conformance runner detects a refused step that changed the thread", async () => {
    const one = suite.find(({ id }) => id === "claims/first-wins")!;
    const glance = { status: "claimed", executor: "bea", offered: true, documents: 2, history: 3 };
    const refused = { code: "already_claimed", message: "bea", valid: ["bea"] };
    const answer = {
      created: { ...glance, status: "pending", executor: null },
      steps: [glance, { ...glance, documents: 3, refused }],
      executor: "bea",
    };
    const found = await check({ ...one, expected: { executor: "bea" } }, () => answer);
    expect(found).toEqual(["step 2 changed.documents: 3 where 2 is expected"]);
  });
});

describe("the comparison of results", () => {
  it.each<[string, Json, Json | undefined, number]>([
    ["a map by the keys that are named", { a: 1 }, { a: 1, b: 2 }, 0],
    ["a missing key", { a: 1, b: null }, { a: 1 }, 1],
    ["a list item by item", [1, 2], [1, 2, 3], 1],
    ["nothing more than expected", { $exactly: { a: 1 } }, { a: 1, b: 2 }, 1],
    [
      "less than everything",
      { $exactly: { a: { $includes: { b: 1 } } } },
      { a: { b: 1, c: 2 } },
      0,
    ],
    ["what is not there", { a: { $absent: true } }, {}, 0],
    ["what should not be there", { a: { $absent: true } }, { a: null }, 1],
    ["what is there", { a: { $present: true } }, { a: null }, 0],
    ["a length", { $length: 3 }, "abc", 0],
    ["another length", { $length: 3 }, [1], 1],
    ["a pattern", { $matches: "^b+$" }, "bbb", 0],
    ["an item among others", { $contains: { a: 1 } }, [{ a: 2 }, { a: 1, b: 1 }], 0],
    ["an item that is not among them", { $contains: [{ a: 1 }, { a: 3 }] }, [{ a: 1 }], 1],
    ["a text that is no number", "1", 1, 1],
  ])("the comparison of results reports %s", (_name, wanted, found, differences) => {
    expect(compare(wanted, found)).toHaveLength(differences);
  });
});
