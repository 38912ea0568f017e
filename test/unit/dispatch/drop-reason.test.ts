import { describe, expect, it } from "vitest";
import { deprioritize } from "../../../src/mess/thread/escalation.ts";
import { getDropReason } from "../../../src/delivery/drop-reason.ts";
import { ThreadBench, machine, person } from "../mess/thread/support.ts";

type Kind = "offer" | "reminder" | "news" | "update" | "alert";

const thread = () => new ThreadBench({}, [machine("bot"), person("ann")]);
/** Why the delivery is not sent; undefined where it is. */
const dropped = (
  { state }: Pick<ThreadBench, "state">,
  kind: Kind,
  executor: string,
  what = "note",
): string | undefined => getDropReason({ kind, executor, event: { what, text: "…" } }, state);

/** Each reason is a text, and none is given for two causes. */
function expectReasons(...reasons: (string | undefined)[]): void {
  for (const reason of reasons) expect(reason).toMatch(/\w/);
  expect(new Set(reasons).size).toBe(reasons.length);
}

describe("whyUseless", () => {
  it("sends a delivery while its member may take the thread", () => {
    for (const kind of ["offer", "reminder"] as const)
      expect(dropped(thread(), kind, "ann")).toBeUndefined();
  });

  it("drops offers and alerts once somebody has taken the thread, and still reminds the holder", () => {
    const held = thread().status("ann", "claimed");

    expectReasons(dropped(held, "offer", "bot"), dropped(held, "offer", "ann"));
    expectReasons(dropped(held, "alert", "olga"));
    expect(dropped(held, "reminder", "ann")).toBeUndefined();
  });

  it("drops deliveries to a member that declined or is not a candidate, for different reasons", () => {
    const declined = thread().status("ann", "declined");

    expectReasons(dropped(declined, "offer", "ann"), dropped(declined, "offer", "tom"));
    expect(dropped(declined, "news", "ann")).toBe(dropped(declined, "offer", "ann"));
  });

  it("drops offers and reminders while other members are asked first", () => {
    const behind = thread().exchange((draft) =>
      deprioritize(draft, [{ id: "ann", reason: "away" }]),
    );

    for (const kind of ["offer", "reminder"] as const) expectReasons(dropped(behind, kind, "ann"));
    expect(dropped(behind, "offer", "bot")).toBeUndefined();
  });

  it("sends news of what the requestor owes until it has answered, whoever holds the thread", () => {
    const asked = thread()
      .status("ann", "claimed")
      .status("ann", "needs_input", { message: "which?" });
    const owed = [
      ["news", "claude"],
      ["alert", "olga"],
    ] as const;
    for (const [kind, member] of owed)
      expect(dropped(asked, kind, member, "unanswered")).toBeUndefined();

    asked.say("claude", { answer: { value: "the fern" } });

    for (const [kind, member] of owed) expectReasons(dropped(asked, kind, member, "unanswered"));
  });

  it("drops offers and alerts after the end with the status, and sends what tells of the end", () => {
    const ended = thread().status("ann", "completed");

    expect(dropped(ended, "offer", "bot")).toContain("completed");
    expect(dropped(ended, "alert", "olga")).toContain("completed");
    expect(dropped(ended, "alert", "olga", "ended")).toBeUndefined();
    expect(dropped(ended, "alert", "olga", "unreachable")).toBeUndefined();
    expect(dropped(ended, "news", "ann")).toBeUndefined();
    expect(dropped(ended, "update", "bot")).toBeUndefined();
  });
});
