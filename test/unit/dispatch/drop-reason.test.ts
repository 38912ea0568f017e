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

describe("the reason to drop a delivery", () => {
  it("a delivery is sent while its member may take the thread", () => {
    for (const kind of ["offer", "reminder"] as const)
      expect(dropped(thread(), kind, "ann")).toBeUndefined();
  });

  it("offers and alerts are dropped once somebody has taken the thread, and its holder is still reminded", () => {
    const held = thread().status("ann", "claimed");

    expectReasons(dropped(held, "offer", "bot"), dropped(held, "offer", "ann"));
    expectReasons(dropped(held, "alert", "olga"));
    expect(dropped(held, "reminder", "ann")).toBeUndefined();
  });

  it("deliveries to a member that declined or is not a candidate are dropped for different reasons", () => {
    const declined = thread().status("ann", "declined");

    expectReasons(dropped(declined, "offer", "ann"), dropped(declined, "offer", "tom"));
    expect(dropped(declined, "news", "ann")).toBe(dropped(declined, "offer", "ann"));
  });

  it("offers and reminders are dropped while other members are asked first", () => {
    const behind = thread().exchange((draft) =>
      deprioritize(draft, [{ id: "ann", reason: "away" }]),
    );

    for (const kind of ["offer", "reminder"] as const) expectReasons(dropped(behind, kind, "ann"));
    expect(dropped(behind, "offer", "bot")).toBeUndefined();
  });

  it("news of what the requestor owes is sent until it has answered, whoever holds the thread", () => {
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

  it("offers and alerts are dropped after the end with the status, and news of the end is sent", () => {
    const ended = thread().status("ann", "completed");

    expect(dropped(ended, "offer", "bot")).toContain("completed");
    expect(dropped(ended, "alert", "olga")).toContain("completed");
    expect(dropped(ended, "alert", "olga", "ended")).toBeUndefined();
    expect(dropped(ended, "alert", "olga", "unreachable")).toBeUndefined();
    expect(dropped(ended, "news", "ann")).toBeUndefined();
    expect(dropped(ended, "update", "bot")).toBeUndefined();
  });
});
