import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { createFreshThread, REF } from "./support.ts";

const getThreadObject = (household: string) => env.THREADS.getByName(`${household}/${REF}`);

const prepare = env.INDEX.prepare.bind(env.INDEX);

const readIndexRow = (household: string) =>
  prepare("SELECT status, seq FROM threads WHERE household = ? AND ref = ?")
    .bind(household, REF)
    .first<{ status: string; seq: number }>();

describe("updates of the index", () => {
  it("a thread updates the index to its newest change", async () => {
    const { household, append } = await createFreshThread();
    await append("ann", { status: { code: "claimed" } });
    await append("ann", { status: { code: "completed" } });
    await vi.waitFor(async () =>
      expect(await readIndexRow(household)).toMatchObject({ status: "completed" }),
    );
  });

  it("an append succeeds while the index is down, and the alarm updates the index later", async () => {
    const { household, append } = await createFreshThread();
    await vi.waitFor(async () => expect(await readIndexRow(household)).not.toBeNull());
    await runInDurableObject(getThreadObject(household), (instance) => {
      vi.spyOn(instance["env"].INDEX, "prepare").mockImplementation(() => {
        throw new Error("D1 is down");
      });
    });

    const outcome = await append("ann", { status: { code: "claimed" } });

    expect(outcome.ok).toBe(true);
    expect(await readIndexRow(household)).toMatchObject({ status: "pending" });
    vi.restoreAllMocks();
    await runDurableObjectAlarm(getThreadObject(household));
    expect(await readIndexRow(household)).toMatchObject({ status: "claimed" });
  });
});
