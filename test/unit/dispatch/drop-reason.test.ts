import { describe, expect, it } from "vitest";
import { putBehind } from "../../../src/mess/thread/escalation.ts";
import { whyUseless } from "../../../src/delivery/drop-reason.ts";
import { Bench, machine, person } from "../mess/thread/support.ts";

const of = (
  kind: "offer" | "reminder" | "news" | "update" | "alert",
  executor: string,
  what = "note",
) => ({
  kind,
  executor,
  happening: { what, text: "…" },
});
const thread = () => new Bench({}, [machine("bot"), person("ann")]);

describe("a delivery", () => {
  it("is of use while its member may take the thread", () => {
    const { state } = thread();
    for (const kind of ["offer", "reminder"] as const)
      expect(whyUseless(of(kind, "ann"), state)).toBeUndefined();
  });

  it("is of none once somebody has taken it, but for a reminder of who holds it", () => {
    const { state } = thread().status("ann", "claimed");
    expect(whyUseless(of("offer", "bot"), state)).toBe("somebody else has taken the thread");
    expect(whyUseless(of("offer", "ann"), state)).toBe("it has taken the thread");
    expect(whyUseless(of("reminder", "ann"), state)).toBeUndefined();
    expect(whyUseless(of("alert", "olga"), state)).toBe("somebody has taken the thread");
  });

  it("is of none to who declined, or is not asked", () => {
    const { state } = thread().status("ann", "declined");
    expect(whyUseless(of("offer", "ann"), state)).toBe("it declined");
    expect(whyUseless(of("news", "ann"), state)).toBe("it declined");
    expect(whyUseless(of("offer", "tom"), state)).toBe("it is offered to others now");
  });

  it("is of none while others are asked first", () => {
    const behind = thread().exchange((draft) =>
      putBehind(draft, [{ id: "ann", hindered: "away" }]),
    );
    for (const kind of ["offer", "reminder"] as const)
      expect(whyUseless(of(kind, "ann"), behind.state)).toBe("others are asked first");
    expect(whyUseless(of("offer", "bot"), behind.state)).toBeUndefined();
  });

  it("about what the requestor owes is of use until it has answered, whoever holds the thread", () => {
    const asked = thread()
      .status("ann", "claimed")
      .status("ann", "needs_input", { message: "which?" });
    const owed = [of("news", "claude", "unanswered"), of("alert", "olga", "unanswered")];
    for (const one of owed) expect(whyUseless(one, asked.state)).toBeUndefined();
    asked.say("claude", { answer: { value: "the fern" } });
    for (const one of owed) expect(whyUseless(one, asked.state)).toBe("it is answered");
  });

  it("is of none after the end, unless it tells of it", () => {
    const { state } = thread().status("ann", "completed");
    expect(whyUseless(of("offer", "bot"), state)).toBe("the thread is completed");
    expect(whyUseless(of("alert", "olga"), state)).toBe("the thread is completed");
    expect(whyUseless(of("alert", "olga", "ended"), state)).toBeUndefined();
    expect(whyUseless(of("alert", "olga", "unreachable"), state)).toBeUndefined();
    expect(whyUseless(of("news", "ann"), state)).toBeUndefined();
    expect(whyUseless(of("update", "bot"), state)).toBeUndefined();
  });
});
