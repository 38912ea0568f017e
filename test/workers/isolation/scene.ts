/** The attacker and the victim, and what the tests compare of a response. */
import { afterAll, beforeAll, expect, vi } from "vitest";
import { buildAddressHeader, sendRequest } from "../support.ts";
import { readHouseholdContents } from "../reliability/store-contents.ts";
import { type ForeignCaller, listForeignCallers } from "./callers.ts";
import { type RecordedCall, recordCalls } from "./object-calls.ts";
import type { Call } from "./probe.ts";
import { buildAbsentNames, createTwin, listForeignTexts, type Names, type Twin } from "./twins.ts";

export interface Answer {
  status: number;
  /** Everything that the caller can see, except for data about the call itself. */
  text: string;
  /** The methods of objects and the reads of other stores that the call caused. */
  work: string[];
}

export interface Scene {
  attacker: Twin;
  victim: Twin;
  /** Names of nothing, of the same forms as the victim's. */
  absent: Names;
  /** The attacker's credentials, twice: those that contain a name contain the victim's, or that of nothing. */
  callers: [naming: ForeignCaller, namingNothing: ForeignCaller][];
  foreignTexts: string[];
  /** The contents of every store of the victim's household. */
  before: Record<string, unknown>;
  send: (call: Call, headers: Record<string, string>) => Promise<Answer>;
}

/** Work that follows a commit or a timer of an earlier call, or that is done once in 30 seconds for a credential. */
const UNRELATED =
  /findContacts|reportDeliveries|recordSummary|authenticateKey|findGrantHolder|isSuspended/;

/** Creates the scene before the tests of a file; returns a function that reads it. */
export function useScene(): () => Scene {
  let scene: Scene | undefined;
  beforeAll(async () => {
    scene = await createScene();
  }, 60_000);
  afterAll(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });
  return () => scene!;
}

/** Expects that the table has an entry for everything in `found`, and for nothing else. */
export function expectComplete(table: object, found: readonly string[], hint: string): void {
  expect(
    found.filter((one) => !Object.hasOwn(table, one)),
    hint,
  ).toEqual([]);
  expect(
    Object.keys(table).filter((one) => !found.includes(one)),
    "the table has entries for things that no longer exist",
  ).toEqual([]);
}

async function createScene(): Promise<Scene> {
  const victim = await createTwin("marzipan-canary", true);
  const attacker = await createTwin("nougat-canary", false);
  const absent = buildAbsentNames(victim.names, "find-nothing");
  const others = await listForeignCallers(attacker, absent);
  const naming = await listForeignCallers(attacker, victim.names);
  const before = await readHouseholdContents(victim.home.id);
  const calls = recordCalls([victim.home.id, attacker.home.id]);
  return {
    attacker,
    victim,
    absent,
    callers: naming.map((one, index) => [one, others[index]!]),
    foreignTexts: listForeignTexts(victim),
    before,
    send: (call, headers) => sendRecorded(calls, call, headers),
  };
}

async function sendRecorded(
  calls: RecordedCall[],
  { path, init = {} }: Call,
  headers: Record<string, string>,
): Promise<Answer> {
  calls.length = 0;
  const all = { ...buildAddressHeader(), ...(init.headers as Record<string, string>), ...headers };
  const response = await sendRequest(path, { ...init, headers: all });
  response.webSocket?.accept();
  response.webSocket?.close();
  const lines = Array.from(response.headers, ([name, value]) => `${name}: ${value}`)
    .filter((line) => !/^(?:x-request-id|date|set-cookie): /.test(line))
    .toSorted();
  const text = [response.status, ...lines, await readText(response)].join("\n");
  const work = calls.map(({ method }) => method).filter((method) => !UNRELATED.test(method));
  return { status: response.status, text, work: work.toSorted() };
}

/** A stream of events does not end; the test of a leak needs no more than that it was opened. */
async function readText(response: Response): Promise<string> {
  if (response.headers.get("Content-Type") !== "text/event-stream") return await response.text();
  await response.body?.cancel();
  return "a stream";
}

/** Removes the names with which a call was made, which the response may repeat, and the random keys of forms. */
export function maskNames(text: string, names: Names): string {
  const longest = Object.values(names).toSorted((a, b) => b.length - a.length);
  return longest
    .reduce((rest, name) => rest.replaceAll(name, "NAME"), text)
    .replaceAll(/value="[\w.-]{36,}"/g, "");
}

const MAX_ATTEMPTS = 3;

/**
 * Sends both calls, again if they caused different work: timers of earlier calls also cause work, but not each time.
 * @returns the last answers
 */
export async function sendPair(
  sendReal: () => Promise<Answer>,
  sendNothing: () => Promise<Answer>,
): Promise<[foreign: Answer, missing: Answer]> {
  for (let attempt = 1; ; attempt++) {
    const missing = await sendNothing();
    const foreign = await sendReal();
    if (attempt === MAX_ATTEMPTS || foreign.work.join() === missing.work.join())
      return [foreign, missing];
  }
}

/** Texts of the victim in the answer that the call did not contain. */
export const findLeaks = ({ text }: Answer, call: unknown, foreignTexts: readonly string[]) => {
  const given = JSON.stringify(call);
  return foreignTexts.filter((one) => text.includes(one) && !given.includes(one));
};
