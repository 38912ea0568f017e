import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../../src/mess/errors.ts";
import {
  approveDraft,
  type AttemptEnd,
  beginAttempt,
  checkAttempt,
  createDraft,
  discardDraft,
  type Draft,
  endAttempt,
  MAX_SEND_DELAY_MS,
  requestDraftApproval,
  reviseDraft,
  undoApproval,
} from "../../../../src/mess/sources/draft.ts";
import { SOURCE_LIMITS } from "../../../../src/mess/sources/vocabulary.ts";

const NOW = 1_000_000;
const { undoMs, revisionsPerDraft } = SOURCE_LIMITS;

const expectOk = (outcome: Outcome<Draft>): Draft => {
  if (!outcome.ok) throw new Error(outcome.error.code);
  return outcome.value;
};
const codeOf = (outcome: Outcome<Draft>): string | undefined =>
  outcome.ok ? undefined : outcome.error.code;

const approve = (draft: Draft, now = NOW): Draft =>
  expectOk(approveDraft(draft, { by: "ann", digest: draft.digest }, now));

describe("an approval", () => {
  it("is refused for a digest of another revision, and names the current digest", () => {
    const revised = expectOk(
      reviseDraft(createDraft("one", NOW), { expected: 1, digest: "two" }, NOW),
    );

    const outcome = approveDraft(revised, { by: "ann", digest: "one" }, NOW);

    expect(outcome).toMatchObject({ error: { code: "draft_changed", valid: ["two"] } });
  });

  it("works once", () => {
    const draft = createDraft("one", NOW);
    const approved = approve(draft);

    expect(codeOf(approveDraft(approved, { by: "bob", digest: "one" }, NOW))).toBe(
      "draft_finished",
    );
  });

  it.each([
    ["unset", undefined, NOW + undoMs],
    ["in the past", NOW - 1, NOW + undoMs],
    ["later", NOW + undoMs + 1, NOW + undoMs + 1],
  ])("with a time that is %s leaves the time for undoing", (_name, sendAt, expected) => {
    const draft = createDraft("one", NOW);

    const approved = expectOk(approveDraft(draft, { by: "ann", digest: "one", sendAt }, NOW));

    expect(approved.approval).toEqual({ by: "ann", at: NOW, send_at: expected });
    expect(checkAttempt(approved, expected - 1)).toBe("too_early");
    expect(checkAttempt(approved, expected)).toBe("begin");
  });

  it("is refused for a time in more than a year", () => {
    const sendAt = NOW + MAX_SEND_DELAY_MS + 1;

    expect(
      codeOf(approveDraft(createDraft("one", NOW), { by: "ann", digest: "one", sendAt }, NOW)),
    ).toBe("bad_time");
  });

  it("freezes the draft until it is undone", () => {
    const approved = approve(createDraft("one", NOW));

    expect(codeOf(reviseDraft(approved, { expected: 1, digest: "two" }, NOW))).toBe(
      "draft_finished",
    );
    expect(codeOf(discardDraft(approved, NOW))).toBe("draft_finished");
    expect(expectOk(undoApproval(approved, NOW))).toMatchObject({ state: "draft", revision: 1 });
  });

  it("cannot be undone while an attempt to send runs, and can after one that certainly sent nothing", () => {
    const sending = beginAttempt(approve(createDraft("one", NOW)), NOW + undoMs);

    expect(codeOf(undoApproval(sending, NOW + undoMs))).toBe("draft_finished");
    const retried = endAttempt(sending, { type: "retry" }, NOW + undoMs);
    expect(codeOf(undoApproval(retried, NOW + undoMs))).toBeUndefined();
  });
});

it("a draft refuses more revisions than it may have", () => {
  let draft = createDraft("1", NOW);
  for (let revision = 1; revision < revisionsPerDraft; revision++)
    draft = expectOk(reviseDraft(draft, { expected: revision, digest: String(revision + 1) }, NOW));

  expect(codeOf(reviseDraft(draft, { expected: revisionsPerDraft, digest: "more" }, NOW))).toBe(
    "too_large",
  );
});

it("a failed draft keeps its note when it is revised, and needs a new approval", () => {
  const failed = endAttempt(
    beginAttempt(approve(createDraft("one", NOW)), NOW),
    { type: "failed", note: "It may have been sent." },
    NOW,
  );

  const revised = expectOk(reviseDraft(failed, { expected: 1, digest: "two" }, NOW));

  expect(revised).toMatchObject({ state: "draft", note: "It may have been sent." });
  expect(revised.approval).toBeUndefined();
});

type Step =
  | { type: "revise"; current: boolean }
  | { type: "approve"; digest: "current" | "earlier" }
  | { type: "discard" | "request" | "undo" | "attempt" | "crash" }
  | { type: "end"; end: "sent" | "retry" | "failed" }
  | { type: "wait" };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant("revise" as const), current: fc.boolean() }),
  fc.record({
    type: fc.constant("approve" as const),
    digest: fc.constantFrom("current" as const, "earlier" as const),
  }),
  fc.constantFrom("discard", "request", "undo", "attempt", "crash", "wait").map((type) => ({
    type,
  })) as fc.Arbitrary<Step>,
  fc.record({
    type: fc.constant("end" as const),
    end: fc.constantFrom("sent" as const, "retry" as const, "failed" as const),
  }),
);

/** What people approved and what providers were given, kept apart from the draft. */
interface Model {
  approvals: string[];
  /** Digests given to the provider in an attempt, each with the approvals until then. */
  given: string[];
  isApproved: boolean;
}

describe("a draft over any course of events", () => {
  it("gives the provider only revisions that a person approved last, one for each approval, and none after the end", () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        let now = NOW;
        let draft = createDraft("r1", now);
        const model: Model = { approvals: [], given: [], isApproved: false };
        let isSent = false;
        for (const step of steps) {
          const before = draft;
          const outcome = run(step);
          if (outcome?.ok) draft = outcome.value;
          else expect(draft).toBe(before);
          expect(draft.revision).toBeGreaterThanOrEqual(before.revision);
          if (isSent) expect(draft.state).toBe("sent");
          isSent = draft.state === "sent";
        }

        function run(step: Step): Outcome<Draft> | undefined {
          switch (step.type) {
            case "wait":
              now += undoMs;
              return undefined;
            case "revise": {
              const expected = draft.revision - (step.current ? 0 : 1);
              const revised = reviseDraft(
                draft,
                { expected, digest: `r${draft.revision + 1}` },
                now,
              );
              if (revised.ok) expect(step.current && !model.isApproved).toBe(true);
              return revised;
            }
            case "approve": {
              const digest = step.digest === "current" ? draft.digest : "r0";
              const approved = approveDraft(draft, { by: "ann", digest }, now);
              if (approved.ok) {
                expect(step.digest).toBe("current");
                model.approvals.push(digest);
                model.isApproved = true;
              }
              return approved;
            }
            case "request":
              return requestDraftApproval(draft, now);
            case "discard":
              return discardDraft(draft, now);
            case "undo": {
              const undone = undoApproval(draft, now);
              if (undone.ok) model.isApproved = false;
              return undone;
            }
            case "attempt": {
              const check = checkAttempt(draft, now);
              if (check !== "begin") return undefined;
              expect(model.isApproved).toBe(true);
              expect(draft.digest).toBe(model.approvals.at(-1));
              expect(now).toBeGreaterThanOrEqual(draft.approval!.at + undoMs);
              model.given.push(draft.digest);
              return { ok: true, value: beginAttempt(draft, now) };
            }
            case "crash":
              // The next attempt must find the trace of the one that was cut short.
              if (draft.attempt_since !== undefined)
                expect(checkAttempt(draft, now)).toBe("interrupted");
              return undefined;
            default: {
              if (draft.attempt_since === undefined) return undefined;
              const end: AttemptEnd =
                step.end === "failed" ? { type: step.end, note: "No." } : { type: step.end };
              if (step.end !== "retry") model.isApproved = false;
              return {
                ok: true,
                value: endAttempt(draft, end, now),
              };
            }
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
