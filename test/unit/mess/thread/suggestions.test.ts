import { defined } from "../../../../src/mess/defined.ts";
import { describe, expect, it } from "vitest";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { listPermissions } from "../../../../src/mess/thread/actions.ts";
import { listOpenItems } from "../../../../src/mess/thread/state.ts";
import { supersede } from "../../../../src/mess/thread/suggestions/supersede.ts";
import { ThreadBench, HOUR_SECONDS, buildMachine, buildPerson } from "./support.ts";

const buildSuggestion = (type: string, proposed?: unknown, more: JsonMap = {}): JsonMap => ({
  suggestion: { type, ...defined({ proposed }), ...more } as JsonMap,
});
const accept: JsonMap = { reply: { accept: true } };

/** Ann holds the thread and sends the suggestion. */
function createHeldThread(
  type: string,
  proposed?: unknown,
  more: JsonMap = {},
  delegate?: string,
): ThreadBench {
  const thread = new ThreadBench({}, [buildPerson("ann"), buildMachine("bot", 2)]).appendStatus(
    "ann",
    "in_progress",
  );
  const options = delegate === undefined ? {} : { delegate: buildPerson(delegate) };
  return thread.append("ann", buildSuggestion(type, proposed, more), options);
}

const noteOfLast = (thread: ThreadBench, action: string) =>
  thread.history.findLast((row) => row.action === action)?.note;

describe("an accepted suggestion to delegate", () => {
  it("an accepted delegation offers the thread to the named candidate only", () => {
    const thread = createHeldThread("delegate", { executor: "bot" }).append("claude", accept);
    expect(thread.state).toMatchObject({ status: "pending", executor: null });
    expect(thread.listedNotices).toEqual(["offer ann", "offer bot"]);
    expect(noteOfLast(thread, "accepted")).toMatch(/\bsuggestion-002\b.*\bbot\b/);
    expect(thread.documents.at(-1)?.document).toMatchObject({
      from: "exchange",
      MESS: [{ status: { code: "pending" } }],
    });
    thread.appendStatus("bot", "claimed");
  });

  it("an accepted delegation works on a thread without a holder", () => {
    const thread = new ThreadBench({}, [buildPerson("ann"), buildMachine("bot", 2)]);
    thread.append("ann", buildSuggestion("delegate", { executor: "bot" })).append("claude", accept);
    expect(thread.state).toMatchObject({ status: "pending", executor: null });
    expect(thread.listedNotices).toEqual(["offer ann", "offer bot"]);
    // The member with the suggestion did not hold the thread, so it is offered it next.
    expect(thread.pass(HOUR_SECONDS / 2).listedNotices.at(-1)).toBe("offer ann");
  });

  it("an accepted delegation to the holder changes nothing", () => {
    const thread = createHeldThread("delegate", { executor: "ann" }).append("claude", accept);
    expect(thread.state).toMatchObject({ status: "in_progress", executor: "ann" });
  });
});

describe("an accepted suggestion to defer", () => {
  it.each([
    [{ not_before: "2026-05-04T20:00:00Z" }],
    [{ until: "2026-05-04T20:00:00Z" }],
    ["2026-05-04T20:00:00Z"],
    ["12h"],
    [{ until: "PT12H" }],
    [{ for: "12h" }],
  ])("an accepted deferral by %j returns the thread to pending until then", (proposed) => {
    const thread = createHeldThread("defer", proposed).append("claude", accept);

    expect(thread.state).toMatchObject({ status: "pending", executor: null, offered: false });
    expect(noteOfLast(thread, "deferred")).toContain("2026-05-04T20:00:00+00:00");
    expect(thread.pass(12 * HOUR_SECONDS - 1).listedNotices).toEqual(["offer ann"]);

    thread.pass(1);

    expect(thread.listedNotices).toEqual(["offer ann", "offer ann"]);
    expect(thread.state).toMatchObject({ offered: true, rung: 1 });
    expect(thread.pass(HOUR_SECONDS / 2).listedNotices.at(-1)).toBe("offer bot");
  });

  it("an accepted deferral keeps the candidates' access, and stops the clock", () => {
    const thread = new ThreadBench({}, [buildPerson("ann"), buildMachine("bot", 2)]);
    thread
      .append("ann", buildSuggestion("defer", "1d"))
      .append("claude", accept)
      .pass(23 * HOUR_SECONDS);
    expect(thread.listedNotices).toEqual(["offer ann"]);
    expect(thread.appendStatus("ann", "claimed").state.executor).toBe("ann");
  });

  it("an accepted deferral ends the access of the owners, who were alerted last", () => {
    const thread = new ThreadBench({}, [buildPerson("ann")]).pass(HOUR_SECONDS);
    thread.append("ann", buildSuggestion("defer", "1d")).append("claude", accept);
    const fault = thread.try("mum", { status: { code: "claimed" } }, { owner: true });
    expect(fault?.code).toBe("wrong_role");
  });

  it("a deferral beyond the expiry of the thread is refused", () => {
    const thread = new ThreadBench({ constraints: { timing: { expires: "2h" } } });
    thread.append("ann", buildSuggestion("defer", "3h"));
    expect(thread.try("claude", accept)).toMatchObject({ code: "bad_time" });
    expect(thread.pass(2 * HOUR_SECONDS).state.status).toBe("expired");
  });
});

describe("an accepted alternative", () => {
  it("an alternative may be accepted after the end of the thread", () => {
    const thread = createHeldThread("alternative", "use rain water").appendStatus(
      "ann",
      "completed",
    );
    thread.append("claude", accept);
    expect(thread.actions.at(-1)).toBe("accepted");
  });
});

describe("accepted suggestions that need other threads", () => {
  it("a split may be a list of intents", () => {
    const bare = createHeldThread("split", ["a", "b"]).append("claude", accept);
    const named = createHeldThread("split", { intents: ["a", "b"] }).append("claude", accept);
    expect(bare.effects).toEqual(named.effects);
    expect(bare.effects).toMatchObject([{ requests: [{ intent: "a" }, { intent: "b" }] }]);
  });

  it("a merge includes the threads that its proposal names in addition to re", () => {
    const proposed = { combined_intent: "both", with: ["repot-plants", "not a ref"] };
    const thread = createHeldThread("merge", proposed, { re: ["water-plants"] }).append(
      "claude",
      accept,
    );
    expect(thread.effects).toMatchObject([{ with: ["water-plants", "repot-plants"] }]);
  });

  it("a rejected split has no effect", () => {
    const thread = createHeldThread("split", ["a", "b"]).append("claude", {
      reply: { accept: false },
    });
    expect(thread.effects).toEqual([]);
    expect(thread.actions.at(-1)).toBe("rejected");
  });
});

describe("proposals that cannot be carried out", () => {
  it.each<[string, unknown, JsonMap, string]>([
    ["delegate", undefined, {}, "missing_field"],
    ["delegate", { executor: "nobody" }, {}, "unknown_executor"],
    ["defer", undefined, {}, "missing_field"],
    ["defer", { until: "spring" }, {}, "missing_field"],
    ["defer", "2020-01-01T00:00:00Z", {}, "bad_time"],
    ["split", undefined, {}, "missing_field"],
    ["split", ["only one"], {}, "missing_field"],
    ["split", ["a", { requires: ["no intent"] }], {}, "bad_field"],
    ["split", Array.from({ length: 33 }, () => "again"), {}, "too_large"],
    ["merge", { executor: "bot" }, { re: ["a", "b"] }, "missing_field"],
    ["merge", { combined_intent: "both" }, { re: ["a"] }, "missing_field"],
    ["merge", { combined_intent: "x".repeat(4_001) }, { re: ["a", "b"] }, "too_large"],
  ])(
    "the suggestion to %s %j is refused when it is accepted, and stays open",
    (type, proposed, more, code) => {
      const thread = createHeldThread(type, proposed, more);
      const before = structuredClone(thread.state);
      expect(thread.try("claude", accept)?.code).toBe(code);
      expect(thread.state).toEqual(before);
      expect(thread.append("claude", { reply: { accept: false } }).actions.at(-1)).toBe("rejected");
    },
  );

  it.each([
    ["delegate", { executor: "bot" }],
    ["defer", "2h"],
    ["split", ["a", "b"]],
  ])("the suggestion to %s is refused after the end of the thread", (type, proposed) => {
    const thread = createHeldThread(type, proposed).appendStatus("ann", "completed");
    expect(thread.try("claude", accept)?.code).toBe("thread_finished");
  });

  it("a suggestion that is too long to be stored is refused when it is sent", () => {
    const thread = new ThreadBench();
    const fault = thread.try("ann", buildSuggestion("split", ["a", "x".repeat(40_000)]));
    expect(fault?.code).toBe("too_large");
  });

  it("the oldest suggestions are dropped when all of them together are too long", () => {
    const thread = new ThreadBench();
    for (let n = 0; n < 6; n++)
      thread.append("ann", buildSuggestion("alternative", "x".repeat(30_000)));
    expect(thread.state.suggestions.map(({ id }) => id)).toEqual(
      [3, 4, 5, 6].map((serial) => `suggestion-00${serial}`),
    );
  });

  it("a stored suggestion without a proposal can be accepted", () => {
    const thread = new ThreadBench();
    thread.state.suggestions = [{ id: "old", made_in: "suggestion-001-old" }];
    expect(thread.append("claude", accept).actions.at(-1)).toBe("accepted");
  });
});

it("open suggestions are listed by name and kind only", () => {
  const { state } = createHeldThread("split", ["a", "b"], { id: "two-jobs" });
  expect(listOpenItems(state).suggestions).toEqual([
    { id: "two-jobs", made_in: "suggestion-002-two-jobs", type: "split" },
  ]);
});

describe("a thread that is superseded", () => {
  const merged = { superseded_by: "2026-05-04-009", reason: "merge" } as const;

  it.each(["claimed", "waiting", "needs_input", "needs_confirmation"])(
    "a %s thread is superseded by a message of the exchange",
    (status) => {
      const thread = new ThreadBench().appendStatus("ann", status, {
        message: "so",
        action: "cut",
      });
      thread.runSystemAction((draft) => supersede(draft, merged));
      expect(thread.state).toMatchObject({
        status: "superseded",
        superseded_by: "2026-05-04-009",
        questions: [],
      });
      expect(thread.documents.at(-1)?.document).toMatchObject({
        from: "exchange",
        MESS: [
          { status: { code: "superseded", superseded_by: "2026-05-04-009", reason: "merge" } },
        ],
      });
      expect(thread.pass(24 * HOUR_SECONDS).state.status).toBe("superseded");
    },
  );

  it("a superseded thread accepts no messages and sends no notices", () => {
    const thread = new ThreadBench().runSystemAction((draft) => supersede(draft, merged));
    const may = listPermissions(thread.state, { actor: "ann", owner: false }, thread.now);
    expect(may.find(({ action }) => action === "claimed")?.reason).toBe("thread_finished");
    expect(thread.pass(24 * HOUR_SECONDS).listedNotices).toEqual(["offer ann bot"]);
  });

  it("a thread that has ended is not superseded", () => {
    const thread = new ThreadBench().appendStatus("ann", "completed");
    let ended: boolean | undefined;
    thread.runSystemAction((draft) => {
      ended = supersede(draft, merged);
    });
    expect(ended).toBe(false);
    expect(thread.state.status).toBe("completed");
    expect(thread.state.superseded_by).toBeUndefined();
  });
});
