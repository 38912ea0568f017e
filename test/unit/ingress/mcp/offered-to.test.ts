import { describe, expect, it } from "vitest";
import { listOffered } from "../../../../src/ingress/mcp/offered-to.ts";
import { buildEnvelope } from "../../../../src/mess/thread/envelope.ts";
import { ThreadBench, machine, person } from "../../mess/thread/support.ts";

const asked = (thread: ThreadBench) => listOffered(buildEnvelope(thread.state, thread.history));

describe("who was asked", () => {
  it("is everybody on the rungs that have been reached", () => {
    const thread = new ThreadBench({}, [machine("bot"), person("ann", 2), person("tom", 3)]);
    expect(asked(thread)).toBe("bot");
    expect(asked(thread.pass(1_800))).toBe("bot, ann");
    expect(asked(thread.pass(7_200))).toBe("bot, ann, tom");
  });

  it("begins anew when the thread is offered anew", () => {
    const thread = new ThreadBench({}, [machine("bot"), person("ann", 2)]).pass(1_800);
    thread.status("bot", "claimed").pass(900);
    expect(asked(thread)).toBe("ann");
  });

  it("is nobody where the owners alone were told", () => {
    expect(asked(new ThreadBench({}, []))).toBeUndefined();
  });
});
