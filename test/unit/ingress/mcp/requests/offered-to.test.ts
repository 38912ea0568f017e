import { describe, expect, it } from "vitest";
import { listOffered } from "../../../../../src/ingress/mcp/requests/offered-to.ts";
import { buildEnvelope } from "../../../../../src/mess/thread/envelope.ts";
import { ThreadBench, buildMachine, buildPerson } from "../../../mess/thread/support.ts";

const listOfferedOf = (thread: ThreadBench) =>
  listOffered(buildEnvelope(thread.state, thread.history));

describe("the members to whom a thread was offered", () => {
  it("a thread was offered to all members of the steps that have been reached", () => {
    const thread = new ThreadBench({}, [
      buildMachine("bot"),
      buildPerson("ann", 2),
      buildPerson("tom", 3),
    ]);
    expect(listOfferedOf(thread)).toBe("bot");
    expect(listOfferedOf(thread.pass(1_800))).toBe("bot, ann");
    expect(listOfferedOf(thread.pass(7_200))).toBe("bot, ann, tom");
  });

  it("a thread that is offered again was offered to the members of the new offer only", () => {
    const thread = new ThreadBench({}, [buildMachine("bot"), buildPerson("ann", 2)]).pass(1_800);
    thread.appendStatus("bot", "claimed").pass(900);
    expect(listOfferedOf(thread)).toBe("ann");
  });

  it("a thread was offered to no member if only the owners were alerted", () => {
    expect(listOfferedOf(new ThreadBench({}, []))).toBeUndefined();
  });
});
