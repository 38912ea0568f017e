import { describe, expect, it } from "vitest";
import {
  type Answered,
  type Caller,
  createFreshHousehold,
  expectOkJson,
  readRefusal,
} from "../support.ts";

const CONFLICT = "409 idempotency_conflict";

const withKey = (key: string): Record<string, string> => ({ "Idempotency-Key": key });

const FOLLOWUP = { MESS: [{ followup: { message: "hurry" } }] };
const REQUEST = { MESS: [{ request: { intent: "look at the basil", requires: ["look"] } }] };

/** Calls to a household, each different from the others. */
const CALLS: readonly [name: string, path: string, body: object][] = [
  ["a key", "/api/v1/keys", { actor: "ben", role: "executor" }],
  ["another key", "/api/v1/keys", { actor: "ben", role: "agent" }],
  ["a sign-in link", "/api/v1/sign-in-links", { actor: "ann" }],
  ["a schedule", "/api/v1/schedules", { id: "a", cron: "0 3 * * *", request: { intent: "look" } }],
  ["a configuration", "/api/v1/config", { settings: { hint: "none" } }],
  ["a request", "/mess", REQUEST],
  ["a preview", "/mess/route", REQUEST],
];

const PAIRS = CALLS.flatMap((first) =>
  CALLS.filter((second) => second !== first).map(
    (second) => [`${first[0]}, then ${second[0]}`, first, second] as const,
  ),
);

describe("an Idempotency-Key of a call to the household", () => {
  it.each(PAIRS)(
    "a key that was used for one call is refused for any other: %s",
    async (_name, [, firstPath, firstBody], [, secondPath, secondBody]) => {
      const { owner } = await createFreshHousehold();

      const first = await expectOkJson(await owner.post(firstPath, firstBody, withKey("k-1")));
      const second = await owner.post(secondPath, secondBody, withKey("k-1"));
      const repeated = await owner.post(firstPath, firstBody, withKey("k-1"));

      expect(first).toBeTruthy();
      expect(await readRefusal(second)).toBe(CONFLICT);
      expect(repeated.ok).toBe(true);
    },
  );

  it("a key belongs to the member that used it", async () => {
    const { owner, agent } = await createFreshHousehold();
    const schedule = { id: "a", cron: "0 3 * * *", request: { intent: "look" } };
    await expectOkJson(await owner.post("/api/v1/sign-in-links", { actor: "ann" }, withKey("k-1")));

    const others = await agent.post("/api/v1/schedules", schedule, withKey("k-1"));

    expect(others.status).toBe(201);
  });

  it("a call that was refused leaves its key unused", async () => {
    const { owner } = await createFreshHousehold();

    const refused = await owner.post("/api/v1/keys", { actor: "ben" }, withKey("k-1"));
    const fixed = await owner.post(
      "/api/v1/keys",
      { actor: "ben", role: "executor" },
      withKey("k-1"),
    );

    expect([refused.status, fixed.status]).toEqual([400, 201]);
  });
});

type Send = (caller: Caller, ref: string, key: string) => Promise<Response>;

const sendFile = (caller: Caller, ref: string, key: string, bytes: string): Promise<Response> =>
  caller.fetch(`/mess/${ref}/attachments`, {
    method: "POST",
    body: bytes,
    headers: { "Content-Type": "text/plain", ...withKey(key) },
  });

/** Calls to a thread, each different from the others. */
const THREAD_CALLS: readonly [name: string, send: Send][] = [
  ["a message", (caller, ref, key) => caller.post(`/mess?ref=${ref}`, FOLLOWUP, withKey(key))],
  [
    "another message",
    (caller, ref, key) =>
      caller.post(`/thread/${ref}`, { MESS: [{ followup: { message: "slow" } }] }, withKey(key)),
  ],
  ["a file", (caller, ref, key) => sendFile(caller, ref, key, "eggs")],
  ["another file", (caller, ref, key) => sendFile(caller, ref, key, "milk")],
  [
    "a file in parts",
    (caller, ref, key) =>
      caller.post(`/mess/${ref}/uploads`, { name: "a.txt", size: 5 }, withKey(key)),
  ],
  [
    "a link",
    (caller, ref, key) => caller.post(`/mess/${ref}/links`, { executor: "ann" }, withKey(key)),
  ],
];

const isBothFiles = (one: string, other: string): boolean =>
  [one, other].every((name) => name.includes("file")) &&
  [one, other].some((name) => name.includes("parts"));

/** A file that is sent whole and in parts under one key is one file. */
const THREAD_PAIRS = THREAD_CALLS.flatMap((first) =>
  THREAD_CALLS.filter((second) => second !== first && !isBothFiles(first[0], second[0])).map(
    (second) => [`${first[0]}, then ${second[0]}`, first[1], second[1]] as const,
  ),
);

describe("an Idempotency-Key of a call to a thread", () => {
  it.each(THREAD_PAIRS)(
    "a key that was used for one call is refused for any other: %s",
    async (_name, first, second) => {
      const { agent } = await createFreshHousehold();
      const ref = await agent.createThread("look at the basil", { requires: ["look"] });

      const made = await first(agent, ref, "k-1");
      const other = await second(agent, ref, "k-1");
      const repeated = await first(agent, ref, "k-1");

      expect(made.ok).toBe(true);
      expect(await readRefusal(other)).toBe(CONFLICT);
      expect(repeated.ok).toBe(true);
      expect((await second(agent, ref, "k-2")).ok).toBe(true);
    },
  );

  it("a key means another call in each thread, in the household, and for each member", async () => {
    const { agent, owner } = await createFreshHousehold();
    const refs = [await agent.createThread("one"), await agent.createThread("two")];
    const send = (caller: Caller, ref: string) =>
      caller.post(`/mess?ref=${ref}`, FOLLOWUP, withKey("k-1"));

    const sent = [
      await send(agent, refs[0]!),
      await send(agent, refs[1]!),
      await send(owner, refs[0]!),
      await agent.post("/mess", REQUEST, withKey("k-1")),
    ];

    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 201]);
    const counts = await Promise.all(
      refs.map(async (ref) => {
        const { messages } = await agent.read(`/mess/${ref}`);
        return messages.filter(({ MESS }: Answered) => MESS[0].followup).length;
      }),
    );
    expect(counts).toEqual([2, 1]);
  });

  it("a key has the same scope for every credential of its member", async () => {
    const { agent, addMember } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil", { requires: ["look"] });
    const otherKey = await addMember(agent.actor, "agent");
    await expectOkJson(await agent.post(`/mess?ref=${ref}`, FOLLOWUP, withKey("k-1")));

    const other = await otherKey.post(
      `/mess?ref=${ref}`,
      { MESS: [{ followup: { message: "slow" } }] },
      withKey("k-1"),
    );

    expect(await readRefusal(other)).toBe(CONFLICT);
  });
});
