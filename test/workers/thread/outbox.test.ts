import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { freshThread, REF } from "./support.ts";

const objectOf = (household: string) => env.THREADS.getByName(`${household}/${REF}`);

const prepare = env.INDEX.prepare.bind(env.INDEX);

const indexed = (household: string) =>
  prepare("SELECT status, seq FROM threads WHERE household = ? AND ref = ?")
    .bind(household, REF)
    .first<{ status: string; seq: number }>();

describe("the outbox", () => {
  it("the outbox brings the index up to the newest change", async () => {
    const { household, say } = await freshThread();
    await say("ann", { status: { code: "claimed" } });
    await say("ann", { status: { code: "completed" } });
    await vi.waitFor(async () =>
      expect(await indexed(household)).toMatchObject({ status: "completed" }),
    );
  });

  it("an append is taken while the index is down, and the outbox catches up by alarm", async () => {
    const { household, say } = await freshThread();
    await vi.waitFor(async () => expect(await indexed(household)).not.toBeNull());
    await runInDurableObject(objectOf(household), (instance) => {
      vi.spyOn(instance["env"].INDEX, "prepare").mockImplementation(() => {
        throw new Error("D1 is down");
      });
    });

    const outcome = await say("ann", { status: { code: "claimed" } });

    expect(outcome.ok).toBe(true);
    expect(await indexed(household)).toMatchObject({ status: "pending" });
    vi.restoreAllMocks();
    await runDurableObjectAlarm(objectOf(household));
    expect(await indexed(household)).toMatchObject({ status: "claimed" });
  });
});
