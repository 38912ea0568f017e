import { afterEach, describe, expect, it, vi } from "vitest";
import { getCode, unwrap } from "../outcomes.ts";
import { buildIncoming } from "./support.ts";
import { createWatcherScene, OPENAI, verdict, type WatcherScene } from "./watcher-scene.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const submit = (scene: WatcherScene, id: string, text: string) =>
  scene.source.rpc.watcher.submitVerdict(scene.asAgent(), id, text);

const correct = (scene: WatcherScene, id: string, tier: "IGNORE" | "DEFER" | "NOTIFY") =>
  scene.source.rpc.watcher.correct(scene.asOwner(), id, tier);

async function receiveOne(scene: WatcherScene): Promise<string> {
  const [id] = await scene.source.receive(buildIncoming(1));
  await scene.runJobs();
  return id!;
}

describe("the verdict of an agent", () => {
  it("classifies a message that waits for one", async () => {
    const scene = await createWatcherScene({ classifier: { kind: "agent" } });
    const id = await receiveOne(scene);
    const summary = unwrap(await submit(scene, id, verdict("NOTIFY", "\nURGENCY: 2")));
    expect(summary).toMatchObject({ tier: "NOTIFY", classified_by: "agent", urgency: 2 });
    await scene.runJobs();
    expect(scene.notices.map(({ tier }) => tier)).toContain("NOTIFY");
    expect(await scene.source.list({ unclassified: true })).toEqual([]);
  });

  it("leaves its draft out where the agent may not write drafts", async () => {
    const scene = await createWatcherScene({ classifier: { kind: "agent" } });
    const [id, other] = await scene.source.receive(buildIncoming(1), buildIncoming(2));
    await scene.runJobs();
    const { outbox, watcher } = scene.source.rpc;
    const text = "TIER: DEFER\nREASON: It can wait.\nDRAFT: On my way.";

    unwrap(
      await watcher.submitVerdict(
        { ...scene.asAgent(), paths: ["msg", "msg/classify"] },
        id!,
        text,
      ),
    );
    expect(unwrap(await outbox.list({ limit: 10 })).drafts).toEqual([]);

    const paths = ["msg", "msg/classify", "msg/*/outbox"];
    unwrap(await watcher.submitVerdict({ ...scene.asAgent(), paths }, other!, text));
    expect(unwrap(await outbox.list({ limit: 10 })).drafts).toMatchObject([{ message: other }]);
  });

  it("changes nothing the second time", async () => {
    const scene = await createWatcherScene({ classifier: { kind: "agent" } });
    const id = await receiveOne(scene);
    await submit(scene, id, verdict("NOTIFY"));
    await scene.runJobs();
    const before = scene.notices.length;
    expect(getCode(await submit(scene, id, verdict("NOTIFY")))).toBe("ok");
    await scene.runJobs();
    expect(scene.notices).toHaveLength(before);
  });

  it("is refused where it cannot be read", async () => {
    const scene = await createWatcherScene({ classifier: { kind: "agent" } });
    const id = await receiveOne(scene);
    expect(getCode(await submit(scene, id, "IGNORE, because it is spam"))).toBe("bad_verdict");
    expect(await scene.show(id)).toMatchObject({ tier: "DEFER", provisional: true });
  });

  it.each(["another verdict of an agent", "the classifier", "a person"])(
    "does not replace %s",
    async (former) => {
      const scene = await createWatcherScene(
        former === "the classifier" ? {} : { classifier: { kind: "agent" } },
      );
      const id = await receiveOne(scene);
      if (former === "a person") await correct(scene, id, "DEFER");
      if (former === "another verdict of an agent") await submit(scene, id, verdict("DEFER"));
      expect(getCode(await submit(scene, id, verdict("IGNORE")))).toBe("already_exists");
      expect(await scene.show(id)).toMatchObject({ tier: "DEFER", seen: false });
    },
  );

  it("is refused for an unknown message", async () => {
    const scene = await createWatcherScene();
    expect(getCode(await submit(scene, "m_0000000000001", verdict("DEFER")))).toBe("not_found");
  });
});

describe("the correction of a person", () => {
  it("changes the tier, keeps the former one, and teaches the household", async () => {
    const scene = await createWatcherScene();
    scene.answer = () => verdict("IGNORE");
    const [id] = await scene.source.receive(
      buildIncoming(1, { headers: [["List-Id", "News <news.test>"]] }),
    );
    await scene.runJobs();
    await scene.holdInterruption(1);
    const summary = unwrap(await correct(scene, id!, "NOTIFY"));
    expect(summary).toMatchObject({ tier: "NOTIFY", classified_by: "person" });
    expect(await scene.listJobs()).toContain("interrupt");
    await scene.runJobs();
    expect(scene.notices).toMatchObject([{ tier: "NOTIFY" }]);
    expect(scene.examples).toMatchObject([
      { message: id, sender: "ann@elsewhere.test", tier: "NOTIFY", list: "News <news.test>" },
    ]);
    expect((await scene.source.read(id!)).former_verdicts).toMatchObject([
      { tier: "IGNORE", reason: "The model decided.", by: "classifier" },
    ]);
  });

  it("teaches nothing where the tier was right", async () => {
    const scene = await createWatcherScene();
    const id = await receiveOne(scene);
    unwrap(await correct(scene, id, "DEFER"));
    await scene.runJobs();
    expect(scene.examples).toEqual([]);
    expect(await scene.show(id)).toMatchObject({ classified_by: "classifier" });
  });

  it("makes a provisional tier final", async () => {
    const scene = await createWatcherScene({ classifier: { kind: "agent" } });
    const id = await receiveOne(scene);
    unwrap(await correct(scene, id, "DEFER"));
    expect(await scene.show(id)).toMatchObject({ classified_by: "person", provisional: undefined });
    expect(await scene.source.list({ unclassified: true })).toEqual([]);
  });

  it("marks a message as seen that should have been ignored, and interrupts nobody", async () => {
    const scene = await createWatcherScene();
    const id = await receiveOne(scene);
    await scene.holdInterruption(1);
    unwrap(await correct(scene, id, "IGNORE"));
    expect(await scene.show(id)).toMatchObject({ tier: "IGNORE", seen: true });
    expect(await scene.listJobs()).not.toContain("interrupt");
    await scene.runJobs();
    expect(scene.notices.at(-1)).toMatchObject({ tier: "IGNORE" });
  });

  it.each([
    ["an agent", { role: "agent", credential: "key:bot" }],
    ["an owner's key that is limited to paths", { credential: "key:1", paths: ["msg/classify"] }],
    ["an agent with a path", { role: "agent", credential: "key:bot", paths: ["msg"] }],
  ] as const)("is refused to %s", async (_name, change) => {
    const scene = await createWatcherScene();
    const id = await receiveOne(scene);
    const { watcher } = scene.source.rpc;
    const caller = scene.asOwner(change);
    expect(getCode(await watcher.correct(caller, id, "NOTIFY"))).toBe("wrong_role");
    expect(await scene.show(id)).toMatchObject({ tier: "DEFER" });
  });
});

describe("a dry run", () => {
  it("shows what another policy would do to the newest messages, and changes nothing", async () => {
    const scene = await createWatcherScene();
    const ids = await scene.source.receive(...[1, 2, 3].map((n) => buildIncoming(n)));
    while ((await scene.source.status()).unclassified > 0) await scene.runJobs();
    const before = await scene.source.list();
    scene.context.rules = [{ words: ["Message 3"], tier: "NOTIFY" }];
    scene.answer = () => verdict("IGNORE");
    const entries = unwrap(await scene.source.rpc.watcher.dryRun("Ignore all.", 2));
    expect(entries).toMatchObject([
      { id: ids[2], before: "DEFER", after: "NOTIFY", by: "rule" },
      { id: ids[1], before: "DEFER", after: "IGNORE", by: "classifier" },
    ]);
    expect(scene.model.requests.at(-1)?.system).toContain("Ignore all.");
    await scene.runJobs();
    expect(await scene.source.list()).toEqual(before);
    expect(scene.notices).toHaveLength(3);
  });

  it("shows at most 100 messages, with at most four calls at a time", async () => {
    const scene = await createWatcherScene({ classifier: { kind: "agent" } });
    await scene.source.receive(...Array.from({ length: 120 }, (_, n) => buildIncoming(n)));
    await scene.runJobs();
    scene.context.classifier = OPENAI;
    const entries = unwrap(await scene.source.rpc.watcher.dryRun("Sort.", 1_000));
    expect(entries).toHaveLength(100);
    expect(scene.model.calls.most).toBeLessThanOrEqual(4);
  });

  it("ends its calls when the classifier does not answer, and never shows IGNORE for it", async () => {
    const scene = await createWatcherScene({ classifier: { kind: "agent" } });
    await scene.source.receive(...Array.from({ length: 20 }, (_, n) => buildIncoming(n)));
    await scene.runJobs();
    scene.context.classifier = OPENAI;
    scene.answer = () => new Response("later", { status: 503 });
    const entries = unwrap(await scene.source.rpc.watcher.dryRun("Sort.", 20));
    expect(entries.map(({ after, by }) => `${after} ${by}`)).toEqual(
      entries.map(() => "DEFER fallback"),
    );
    expect(scene.model.requests.length).toBeLessThanOrEqual(4);
  });

  it("is refused while another one runs", async () => {
    const scene = await createWatcherScene();
    await receiveOne(scene);
    let second: Promise<string> | undefined;
    scene.answer = async () => {
      second ??= scene.callFromObject().watcher.dryRun("Sort.", 1).then(getCode);
      await second;
      return verdict("DEFER");
    };
    unwrap(await scene.source.rpc.watcher.dryRun("Sort.", 1));
    expect(await second).toBe("too_many");
  });
});
