import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { waitForChange } from "../../../src/exchange/exchange.ts";
import { createFreshThread, buildPrincipal, REF } from "./support.ts";

describe("waits on a thread", () => {
  it("a wait on a thread returns with the next change", async () => {
    const { household, append, read } = await createFreshThread();
    const { cursor } = await read();
    const waiting = waitForChange(env, buildPrincipal(household, "claude"), REF, cursor, 20_000);
    await append("ann", { status: { code: "claimed" } });

    const outcome = await waiting;

    expect(outcome).toMatchObject({ ok: true, value: { envelope: { status: "claimed" } } });
    expect(outcome.ok && outcome.value.messages.map(({ from }) => from)).toEqual([
      "ann",
      "exchange",
    ]);
  });

  it("a wait on a thread returns at once if there was a change before", async () => {
    const { household, append, read } = await createFreshThread();
    const { cursor } = await read();
    await append("ann", { status: { code: "claimed" } });
    const outcome = await waitForChange(
      env,
      buildPrincipal(household, "claude"),
      REF,
      cursor,
      20_000,
    );
    expect(outcome).toMatchObject({ ok: true, value: { envelope: { status: "claimed" } } });
  });

  it("a wait on a thread returns no messages after its timeout", async () => {
    const { household, read } = await createFreshThread();
    const { cursor } = await read();
    const outcome = await waitForChange(env, buildPrincipal(household, "claude"), REF, cursor, 30);
    expect(outcome).toMatchObject({ ok: true, value: { messages: [], cursor } });
  });

  it("a wait on a thread survives an eviction of its object", async () => {
    const { household, append, read } = await createFreshThread();
    const { cursor } = await read();
    const waiting = waitForChange(env, buildPrincipal(household, "claude"), REF, cursor, 20_000);
    // The waiter must be connected before the object is evicted.
    await read();
    await evictDurableObject(env.THREADS.getByName(`${household}/${REF}`), {
      webSockets: "hibernate",
    });
    await append("ann", { status: { code: "claimed" } });
    expect(await waiting).toMatchObject({ ok: true, value: { envelope: { status: "claimed" } } });
  });

  it("a wait by a caller without access is refused as if the thread did not exist", async () => {
    const { household } = await createFreshThread();
    const outcome = await waitForChange(env, buildPrincipal(household, "zoe"), REF, 0, 20_000);
    expect(outcome).toMatchObject({ ok: false, error: { code: "not_found" } });
  });
});
