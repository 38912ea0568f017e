import { describe, expect, it } from "vitest";
import { listOffered } from "../../../../src/ingress/mcp/offered-to.ts";
import { buildEnvelope } from "../../../../src/mess/thread/envelope.ts";
import { ThreadBench, machine, person } from "../../mess/thread/support.ts";

const asked = (thread: ThreadBench) => listOffered(buildEnvelope(thread.state, thread.history));

describe("the members to whom a thread was offered", () => {
  it("a thread was offered to everybody on the tiers that have been reached", () => {
    const thread = new ThreadBench({}, [machine("bot"), person("ann", 2), person("tom", 3)]);
    expect(asked(thread)).toBe("bot");
    expect(asked(thread.pass(1_800))).toBe("bot, ann");
    expect(asked(thread.pass(7_200))).toBe("bot, ann, tom");
  });

  it("a thread that is offered again was offered to the members of the new offer only", () => {
    const thread = new ThreadBench({}, [machine("bot"), person("ann", 2)]).pass(1_800);
    thread.status("bot", "claimed").pass(900);
    expect(asked(thread)).toBe("ann");
  });

  it("a thread was offered to nobody where only the owners were alerted", () => {
    expect(asked(new ThreadBench({}, []))).toBeUndefined();
  });
});
