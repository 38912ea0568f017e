/** Accepted suggestions to merge, carried out despite crashes and concurrent changes. */
import { getHouseholdStub } from "../../../src/stubs.ts";
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ThreadsFacet } from "../../../src/household/threads/threads-facet.ts";
import type { Effect } from "../../../src/mess/thread/suggestions/effects.ts";
import { ThreadObject } from "../../../src/thread/thread-object.ts";
import {
  type Answered,
  Caller,
  waitUntil,
  expectOkJson,
  createFreshHousehold,
  OPERATOR_KEY,
  type TestHousehold,
} from "../support.ts";
import {
  acceptSuggestion,
  createHousehold,
  findReplacement,
  readRequest,
} from "./replacement-support.ts";
import { readEnvelope, runAlarm, listExchangeMessages } from "./support.ts";
import { createThreadTables } from "../../../src/thread/migrations.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Two requests for the same shop. */
async function requestGroceries(home: TestHousehold): Promise<[onions: string, garlic: string]> {
  return [
    await home.agent.createThread("buy onions", {
      requires: ["carry"],
      priority: "background",
      context: ["The red ones."],
      needed_by: "2099-05-06T18:00:00Z",
    }),
    await home.agent.createThread("buy garlic", {
      requires: ["carry", "drive"],
      priority: "elevated",
      confirm_before: true,
      needed_by: "2099-05-06T12:00:00Z",
    }),
  ];
}

const mergeOf = (onions: string, garlic: string, more: object = {}) => ({
  id: "sug:grocery",
  type: "merge",
  re: [onions, garlic],
  proposed: { combined_intent: "buy onions and garlic", ...more },
  reason: "same shop",
});

describe("an accepted merge", () => {
  it("an accepted merge opens the merged threads, and what they referred to, to its readers", async () => {
    const home = await createHousehold();
    const list = await home.agent.createThread("write the list", { requires: ["look"] });
    const onions = await home.agent.createThread("buy onions", {
      requires: ["carry"],
      context: [{ ref: list }],
    });
    const garlic = await home.agent.createThread("buy garlic", { requires: ["carry"] });
    await acceptSuggestion(home, onions, mergeOf(onions, garlic));
    const merged = await findReplacement(home.agent, onions);

    const { threads } = await home.ben.read(`/mess/${merged}/context`);

    expect(threads.map((one: Answered) => one.ref)).toEqual([onions, list, garlic]);
  });

  it("an accepted merge creates one thread from two in the requestor's name, with references both ways", async () => {
    const home = await createHousehold();
    const [onions, garlic] = await requestGroceries(home);
    await acceptSuggestion(home, onions, mergeOf(onions, garlic));

    const merged = await findReplacement(home.agent, onions);
    expect(await findReplacement(home.agent, garlic)).toBe(merged);

    const envelope = await readEnvelope(home.agent, merged);
    expect(envelope).toMatchObject({
      requestor: "scout",
      intent: "buy onions and garlic",
      priority: "elevated",
      expires: "2099-05-06T12:00:00+00:00",
    });
    expect(envelope.history).toContainEqual(
      expect.objectContaining({
        action: "merged",
        note: expect.stringMatching(new RegExp(`${onions}.*${garlic}`)),
      }),
    );
    expect(await readRequest(home.agent, merged)).toMatchObject({
      requires: ["carry", "drive"],
      confirm_before: true,
      context: [{ ref: onions }, "buy onions", "The red ones.", { ref: garlic }, "buy garlic"],
    });
    const { messages } = await home.agent.read(`/mess/${onions}`);
    expect(messages.at(-1)).toMatchObject({
      from: "exchange",
      MESS: [{ status: { code: "superseded", superseded_by: merged, reason: "merge" } }],
    });
    const { candidates } = await home.agent.read(`/mess/${merged}/route`);
    expect(candidates.map(({ id }: Answered) => id)).toEqual(["cleo"]);
  });

  it("an accepted merge needs no room among the open threads of its requestor", async () => {
    const home = await createHousehold();
    const [onions, garlic] = await requestGroceries(home);
    const operator = new Caller("operator", OPERATOR_KEY);
    const limits = { open_threads_per_member: 2, new_threads_per_member: 2 };
    await expectOkJson(
      await operator.fetch(`/api/v1/households/${home.id}/limits`, {
        method: "PUT",
        body: JSON.stringify(limits),
        headers: { "Content-Type": "application/json" },
      }),
    );

    await acceptSuggestion(home, onions, mergeOf(onions, garlic));

    const merged = await findReplacement(home.agent, onions);
    expect((await readEnvelope(home.agent, merged)).status).toBe("pending");
  });

  it("an accepted merge creates no deliveries if the candidates have no address", async () => {
    const home = await createHousehold();
    const [onions, garlic] = await requestGroceries(home);
    await acceptSuggestion(home, onions, mergeOf(onions, garlic));
    const merged = await findReplacement(home.agent, onions);

    expect((await home.agent.read(`/mess/${merged}/deliveries`)).deliveries).toEqual([]);
  });

  it("an accepted merge notifies the member that the suggestion named, if no one else has an address", async () => {
    const home = await createHousehold();
    const notify = { webhook: "https://robot.example.com/hook" };
    const ben = { id: "ben", capabilities: ["carry"], notify };
    await expectOkJson(await home.owner.postBlocks({ config: { executor: ben } }));
    const [onions, garlic] = await requestGroceries(home);
    await acceptSuggestion(home, onions, mergeOf(onions, garlic, { executor: "ben" }));
    const merged = await findReplacement(home.agent, onions);

    const { deliveries } = await home.agent.read(`/mess/${merged}/deliveries`);
    expect(deliveries).toMatchObject([{ executor: "ben", kind: "offer" }]);
  });

  it("an accepted merge is offered first to the member that the suggestion named", async () => {
    const home = await createHousehold();
    const [onions, garlic] = await requestGroceries(home);
    await acceptSuggestion(home, onions, mergeOf(onions, garlic, { executor: "ben" }));
    const merged = await findReplacement(home.agent, onions);
    const { candidates } = await home.agent.read(`/mess/${merged}/route`);
    expect(candidates.map(({ id, rung }: Answered) => [id, rung])).toEqual([
      ["ben", 1],
      ["cleo", 2],
    ]);
    await home.ben.claim(merged);
  });

  it.each<[string, (home: TestHousehold) => void]>([
    [
      "the household cannot be called at first",
      () =>
        vi
          .spyOn(ThreadsFacet.prototype, "enqueueEffect")
          .mockRejectedValueOnce(new Error("crash before")),
    ],
    [
      "the response of the household is lost",
      () => {
        // oxlint-disable-next-line typescript/unbound-method
        const carryOut = ThreadsFacet.prototype.enqueueEffect;
        vi.spyOn(ThreadsFacet.prototype, "enqueueEffect").mockImplementationOnce(async function (
          this: ThreadsFacet,
          ...given
        ) {
          await carryOut.apply(this, given);
          throw new Error("crash after");
        });
      },
    ],
    [
      "a crash occurs before the new thread is created",
      () => vi.spyOn(ThreadObject.prototype, "create").mockRejectedValueOnce(new Error("crash")),
    ],
    [
      "a crash occurs before the old threads end",
      () => vi.spyOn(ThreadObject.prototype, "supersede").mockRejectedValueOnce(new Error("crash")),
    ],
  ])("an accepted merge is carried out once if %s", async (_name, fault) => {
    const home = await createHousehold();
    const [onions, garlic] = await requestGroceries(home);
    fault(home);
    await acceptSuggestion(home, onions, mergeOf(onions, garlic));
    await waitUntil(async () => {
      await runDurableObjectAlarm(env.THREADS.getByName(`${home.id}/${onions}`));
      await runAlarm(home);
      expect((await readEnvelope(home.agent, garlic)).status).toBe("superseded");
    });
    await evictDurableObject(env.THREADS.getByName(`${home.id}/${onions}`));
    await runDurableObjectAlarm(env.THREADS.getByName(`${home.id}/${onions}`));
    await runAlarm(home);
    const left = await runInDurableObject(
      env.THREADS.getByName(`${home.id}/${onions}`),
      (_object, { storage }) =>
        createThreadTables(storage.sql).run("effects", "SELECT n FROM effects"),
    );
    expect(left).toEqual([]);
    const merged = await findReplacement(home.agent, onions);
    const { threads } = await waitUntil(async () => {
      const listed = await home.agent.read("/mess");
      expect(listed.threads).toHaveLength(3);
      return listed;
    });
    expect(threads.map(({ ref }: Answered) => ref)).toContain(merged);
    expect(await listExchangeMessages(home.agent, onions)).toEqual([]);
  });

  it("an accepted merge is carried out once, however often and by whichever thread it is reported", async () => {
    const home = await createHousehold();
    const [onions, garlic] = await requestGroceries(home);
    // The old threads stay open for a while, so every repetition plans the whole merge.
    vi.spyOn(ThreadObject.prototype, "supersede")
      .mockResolvedValueOnce(false)
      .mockResolvedValueOnce(false);
    const rpc = getHouseholdStub(env, home.id);
    const accepted = { suggestion: "s", by: "scout", accepted_in: "answer-002" };
    const buildEffect = (made_in: string): Effect => ({
      ...accepted,
      type: "merge",
      made_in,
      with: [onions, garlic],
      combined_intent: "buy both",
    });
    await Promise.all(
      [1, 2, 3].map(() => rpc.threads.enqueueEffect(onions, buildEffect("suggestion-001"))),
    );
    await rpc.threads.enqueueEffect(garlic, buildEffect("suggestion-007"));
    await waitUntil(async () => {
      await runAlarm(home);
      expect((await readEnvelope(home.agent, garlic)).status).toBe("superseded");
    });

    const merged = await findReplacement(home.agent, onions);
    expect(await findReplacement(home.agent, garlic)).toBe(merged);
    const day = merged.slice(0, 10);
    expect(await home.agent.createThread("the next")).toBe(`${day}-004`);
    expect(await listExchangeMessages(home.agent, onions)).toEqual([]);
    await waitUntil(async () =>
      expect(await listExchangeMessages(home.agent, garlic)).toEqual([
        { message: expect.stringMatching(new RegExp(`${onions}|${garlic}`)) },
      ]),
    );
  });

  it("an accepted merge is carried out if the thread is evicted first", async () => {
    const home = await createHousehold();
    const [onions, garlic] = await requestGroceries(home);
    const thread = env.THREADS.getByName(`${home.id}/${onions}`);
    vi.spyOn(ThreadsFacet.prototype, "enqueueEffect").mockRejectedValueOnce(new Error("crash"));
    await acceptSuggestion(home, onions, mergeOf(onions, garlic));
    await evictDurableObject(thread);
    await home.agent.appendBlocks(onions, { followup: { message: "The red ones." } });
    await runDurableObjectAlarm(thread);
    await findReplacement(home.agent, garlic);
  });

  it("threads that depended on a merged thread depend on the new one", async () => {
    const home = await createHousehold();
    const [onions, garlic] = await requestGroceries(home);
    const dice = await home.agent.createThread("dice them", {
      constraints: { depends_on: [onions] },
    });
    await acceptSuggestion(home, onions, mergeOf(onions, garlic));
    const merged = await findReplacement(home.agent, garlic);
    expect(await readEnvelope(home.agent, dice)).toMatchObject({
      status: "pending",
      blocked_by: [merged],
    });
  });

  it.each(["agent", "owner"] as const)(
    "a merge with another requestor's thread that an owner's %s key accepts is carried out for owners only",
    async (role) => {
      const home = await createHousehold();
      const key = await home.addMember(home.owner.actor, role);
      const own = await key.createThread("buy onions", { requires: ["carry"] });
      const other = await home.agent.createThread("buy garlic", { requires: ["carry"] });
      await acceptSuggestion(home, own, mergeOf(own, other), key);

      if (role === "owner") await findReplacement(home.owner, other);
      else
        await waitUntil(async () =>
          expect(await listExchangeMessages(home.owner, own)).toHaveLength(1),
        );
      const { status } = await readEnvelope(home.owner, other);
      expect(status === "superseded").toBe(role === "owner");
    },
  );

  it("an accepted merge is given up with a message if the other thread has ended or has another requestor", async () => {
    const home = await createHousehold();
    const rover = await home.addMember("rover", "agent");
    const [onions, garlic] = await requestGroceries(home);
    const foreign = await rover.createThread("buy wine", { requires: ["carry"] });
    await acceptSuggestion(home, onions, mergeOf(onions, foreign));
    const [notTheirs] = await waitUntil(async () => {
      const messages = await listExchangeMessages(home.agent, onions);
      expect(messages).toEqual([{ message: expect.stringMatching(/\w/) }]);
      return messages;
    });
    expect((await readEnvelope(rover, foreign)).status).toBe("pending");

    await home.agent.appendBlocks(garlic, { cancel: {} });
    await acceptSuggestion(home, onions, mergeOf(onions, garlic));
    const [, ended] = await waitUntil(async () => {
      const messages = await listExchangeMessages(home.agent, onions);
      expect(messages).toEqual([notTheirs, { message: expect.stringMatching(/\w/) }]);
      return messages;
    });
    expect(ended).not.toEqual(notTheirs);
    expect((await readEnvelope(home.agent, onions)).status).toBe("pending");
  });

  it("an owner may merge threads of several requestors", async () => {
    const home = await createHousehold();
    const rover = await home.addMember("rover", "agent");
    const [onions] = await requestGroceries(home);
    const wine = await rover.createThread("buy wine", { requires: ["carry"] });
    await acceptSuggestion(home, onions, mergeOf(onions, wine), home.owner);
    const merged = await findReplacement(rover, wine);
    expect((await readEnvelope(home.agent, merged)).requestor).toBe("scout");
  });

  it("a merge is carried out once if both threads accept one concurrently", async () => {
    const home = await createHousehold();
    const onions = await home.agent.createThread("buy onions", { requires: ["carry"] });
    const garlic = await home.agent.createThread("buy garlic", { requires: ["carry"] });
    const made = [
      await home.ben.appendBlocks(onions, { suggestion: mergeOf(onions, garlic) }),
      await home.ben.appendBlocks(garlic, { suggestion: mergeOf(garlic, onions) }),
    ];
    const verdicts = await Promise.all(
      made.map(({ ref }) =>
        home.agent.post("/mess", { re: ref, MESS: [{ reply: { accept: true } }] }),
      ),
    );
    expect(verdicts.some(({ ok }) => ok)).toBe(true);
    const merged = await findReplacement(home.agent, onions);
    expect(await findReplacement(home.agent, garlic)).toBe(merged);
    await runAlarm(home);
    await waitUntil(async () => {
      const { threads } = await home.agent.read("/mess");
      const refs = threads.map(({ ref }: Answered) => ref as string);
      expect(refs.toSorted()).toEqual([onions, garlic, merged].toSorted());
    });
  });
});

describe("files of merged threads", () => {
  it("files of merged threads read back unchanged", async () => {
    const home = await createHousehold();
    const [onions, garlic] = await requestGroceries(home);
    await acceptSuggestion(home, onions, mergeOf(onions, garlic));
    const merged = await findReplacement(home.agent, garlic);
    const other = await createFreshHousehold();
    for (const ref of [onions, garlic, merged]) {
      const zip = await (await home.agent.fetch(`/mess/${ref}/archive.zip`)).arrayBuffer();
      const imported = await expectOkJson(
        await other.owner.fetch("/mess/import", {
          method: "POST",
          body: zip,
          headers: { "Content-Type": "application/zip" },
        }),
      );
      expect(imported).toBeDefined();
      const before = await readEnvelope(home.agent, ref);
      const { superseded_by, status, history } = await readEnvelope(other.owner, ref);
      expect({ superseded_by, status, history }).toEqual({
        superseded_by: before.superseded_by,
        status: before.status,
        history: before.history,
      });
    }
  });
});
