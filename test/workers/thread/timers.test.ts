import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { expectNaming } from "../../support/naming.ts";
import { buildCreation, createFreshThread, buildPrincipal, REF } from "./support.ts";

const getThreadObject = (household: string) => env.THREADS.getByName(`${household}/${REF}`);
/** Ahead of the real clock, so that alarms do not fire on their own. */
const START = new Date("2051-05-04T08:00:00Z").getTime();

/** Moves the clock and runs the alarm that is due by then. */
async function pass(household: string, seconds: number) {
  vi.setSystemTime(Date.now() + seconds * 1000);
  await runDurableObjectAlarm(getThreadObject(household));
}

describe("timers of a thread", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("a thread that no executor claimed expires at its deadline", async () => {
    vi.setSystemTime(START);
    const { household, read } = await createFreshThread({
      constraints: { timing: { expires: "1h" } },
    });

    await pass(household, 3_600);

    const { envelope, messages } = await read();
    expect(envelope.status).toBe("expired");
    expect(envelope.history.at(-1)).toMatchObject({
      action: "expired",
      by: "exchange",
      ref: `${REF}/status-001`,
    });
    expect(messages.at(-1)).toMatchObject({
      from: "exchange",
      MESS: [{ status: { code: "expired" } }],
    });
  });

  it("a claim without further messages is released when its lease ends", async () => {
    vi.setSystemTime(START);
    const { household, append, read } = await createFreshThread();
    await append("bot", { status: { code: "claimed" } });

    await pass(household, 901);

    expect((await read()).envelope).toMatchObject({ status: "pending", executor: null });
  });

  it("a thread that no executor claims is escalated with reminders, and finally to the owners", async () => {
    vi.setSystemTime(START);
    const { route } = buildCreation("");
    const candidates = route.candidates.map((one, index) => ({ ...one, rung: index + 1 }));
    const { household, stub, read } = await createFreshThread(
      {},
      { route: { ...route, candidates, rung_seconds: 600 } },
    );
    const canRead = async (actor: string) =>
      (await stub.readThread(buildPrincipal(household, actor))).ok;
    expect([await canRead("ann"), await canRead("bot")]).toEqual([true, false]);

    for (const seconds of [300, 300, 300, 300]) await pass(household, seconds);

    expect([await canRead("ann"), await canRead("bot")]).toEqual([true, true]);
    const { envelope } = await read();
    expect(envelope.status).toBe("pending");
    const followed = envelope.history.filter(({ action }) => action !== "created");
    expect(followed.map(({ action, note }) => [action, note])).toEqual([
      ["dispatched", expectNaming("ann")],
      ["reminded", expectNaming("ann")],
      ["escalated", expectNaming("bot")],
      ["reminded", expectNaming("ann", "bot")],
      ["escalated", expect.not.stringMatching(/\b(?:ann|bot)\b/)],
    ]);
  });

  it("a thread completes ten minutes after a person's response without further messages", async () => {
    vi.setSystemTime(START);
    const { household, append, read } = await createFreshThread();
    await append("ann", { response: { content: ["all done"] } });
    expect((await read()).envelope.status).toBe("claimed");

    await pass(household, 600);

    expect((await read()).envelope.status).toBe("completed");
  });

  it("an upload to which no message refers within a day is deleted", async () => {
    vi.setSystemTime(START);
    const { household, stub } = await createFreshThread();
    const key = `${household}/2026-05-04/left`;
    await env.BLOBS.put(key, "bytes");
    const blob = { token: "upload-left", key, kind: "file" as const, mime: "text/plain", size: 5 };
    await stub.stageUpload(buildPrincipal(household, "ann"), blob);

    await pass(household, 86_401);

    expect(await env.BLOBS.head(key)).toBeNull();
    expect(await stub.listBlobKeys()).toEqual([]);
  });

  it("a thread's alarm is set to the earliest due time", async () => {
    vi.setSystemTime(START);
    const { household, append } = await createFreshThread({
      constraints: { timing: { expires: "P2D" } },
    });
    await append("bot", { status: { code: "claimed" } });
    await runDurableObjectAlarm(getThreadObject(household));

    const alarm = await runInDurableObject(getThreadObject(household), (_, ctx) =>
      ctx.storage.getAlarm(),
    );

    expect(alarm).toBe(START + 900_000);
  });
});
