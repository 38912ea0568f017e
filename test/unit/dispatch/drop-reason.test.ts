import { describe, expect, it } from "vitest";
import { deprioritize } from "../../../src/mess/thread/escalation.ts";
import { getDropReason } from "../../../src/delivery/drop-reason.ts";
import { ThreadBench, buildMachine, buildPerson } from "../mess/thread/support.ts";

type Kind = "offer" | "reminder" | "news" | "update" | "alert";

const createThread = () => new ThreadBench({}, [buildMachine("bot"), buildPerson("ann")]);
/** The reason why the delivery is not sent; undefined if it is sent. */
const getDropReasonOf = (
  { state }: Pick<ThreadBench, "state">,
  kind: Kind,
  executor: string,
  what = "note",
): string | undefined => getDropReason({ kind, executor, event: { what, text: "…" } }, state);

/** Each reason has a text, and different causes have different reasons. */
function expectReasons(...reasons: (string | undefined)[]): void {
  for (const reason of reasons) expect(reason).toMatch(/\w/);
  expect(new Set(reasons).size).toBe(reasons.length);
}

describe("the reason to drop a delivery", () => {
  it("a delivery is sent while its member may claim the thread", () => {
    for (const kind of ["offer", "reminder"] as const)
      expect(getDropReasonOf(createThread(), kind, "ann")).toBeUndefined();
  });

  it("offers and alerts are dropped once the thread is claimed, and its holder is still reminded", () => {
    const held = createThread().appendStatus("ann", "claimed");

    expectReasons(getDropReasonOf(held, "offer", "bot"), getDropReasonOf(held, "offer", "ann"));
    expectReasons(getDropReasonOf(held, "alert", "olga"));
    expect(getDropReasonOf(held, "reminder", "ann")).toBeUndefined();
  });

  it("deliveries to a member that declined or is not a candidate are dropped for different reasons", () => {
    const declined = createThread().appendStatus("ann", "declined");

    expectReasons(
      getDropReasonOf(declined, "offer", "ann"),
      getDropReasonOf(declined, "offer", "tom"),
    );
    expect(getDropReasonOf(declined, "news", "ann")).toBe(
      getDropReasonOf(declined, "offer", "ann"),
    );
  });

  it("offers and reminders are dropped while other members are offered the thread first", () => {
    const behind = createThread().runSystemAction((draft) =>
      deprioritize(draft, [{ id: "ann", reason: "away" }]),
    );

    for (const kind of ["offer", "reminder"] as const)
      expectReasons(getDropReasonOf(behind, kind, "ann"));
    expect(getDropReasonOf(behind, "offer", "bot")).toBeUndefined();
  });

  it("news about a pending answer is sent until the requestor has answered, whoever holds the thread", () => {
    const asked = createThread()
      .appendStatus("ann", "claimed")
      .appendStatus("ann", "needs_input", { message: "which?" });
    const owed = [
      ["news", "claude"],
      ["alert", "olga"],
    ] as const;
    for (const [kind, member] of owed)
      expect(getDropReasonOf(asked, kind, member, "unanswered")).toBeUndefined();

    asked.append("claude", { answer: { value: "the fern" } });

    for (const [kind, member] of owed)
      expectReasons(getDropReasonOf(asked, kind, member, "unanswered"));
  });

  it("offers and alerts are dropped after the end with the final status, and news of the end is sent", () => {
    const ended = createThread().appendStatus("ann", "completed");

    expect(getDropReasonOf(ended, "offer", "bot")).toContain("completed");
    expect(getDropReasonOf(ended, "alert", "olga")).toContain("completed");
    expect(getDropReasonOf(ended, "alert", "olga", "ended")).toBeUndefined();
    expect(getDropReasonOf(ended, "alert", "olga", "unreachable")).toBeUndefined();
    expect(getDropReasonOf(ended, "news", "ann")).toBeUndefined();
    expect(getDropReasonOf(ended, "update", "bot")).toBeUndefined();
  });
});
