/**
 * Crashes at each statement in the transactions of a call about AI groups, in whichever object. After the restart, the alarms complete
 * what was begun or there is no trace of it; the repeated call then leaves what it leaves without a crash.
 */
import { runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, it, vi } from "vitest";
import { unwrap } from "../../household/groups-support.ts";
import { advanceClock } from "../reliability-household.ts";
import { CrashHousehold, type CrashScene } from "./crash-scene.ts";
import { CrashingStorage } from "./crashing-storage.ts";

interface Operation {
  name: string;
  prepare: (scene: CrashScene) => Promise<unknown>;
  /** Repeated unchanged after the crash. */
  run: (scene: CrashScene) => Promise<{ ok: boolean }>;
}

const OPERATIONS: readonly Operation[] = [
  {
    name: "sends a task",
    prepare: (scene) => scene.assign(),
    run: (scene) =>
      scene.group.send(
        { principal: scene.home.boss, as: scene.ids.boss },
        {
          to: scene.ids.agent,
          type: "task",
          content: "Build feature B",
          key: "k",
          needs_ack: true,
        },
      ),
  },
  {
    name: "reports a task",
    prepare: (scene) => scene.assign(),
    run: (scene) =>
      scene.group.send(
        { principal: scene.home.worker, as: scene.ids.agent },
        { to: scene.ids.boss, type: "report", content: "done", key: "k", reply_to: scene.task },
      ),
  },
  {
    name: "claims an agent for a task",
    prepare: () => Promise.resolve(),
    run: (scene) => scene.claim("Build feature B", "second"),
  },
  {
    name: "assigns a task again that was given back",
    prepare: async (scene) => {
      await scene.assign();
      unwrap(await scene.release());
    },
    run: (scene) => scene.claim(scene.task, "second"),
  },
  {
    name: "releases an agent with an open task",
    prepare: (scene) => scene.assign(),
    run: (scene) => scene.release(),
  },
  {
    name: "accepts a handoff",
    prepare: async (scene) => {
      await scene.assign();
      unwrap(await scene.transfer("boss"));
    },
    run: (scene) => scene.transfer("deputy"),
  },
  {
    name: "closes a group",
    prepare: (scene) => scene.assign(),
    run: (scene) => scene.close(),
  },
];

const storage = new CrashingStorage();

beforeAll(async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  advanceClock(0);
  const home = await CrashHousehold.create();
  await runInDurableObject(home.house.getObject(), (_object, state) =>
    storage.install(state.storage),
  );
});

async function prepareScene(home: CrashHousehold, operation: Operation): Promise<CrashScene> {
  const scene = await home.createScene();
  await operation.prepare(scene);
  return scene;
}

it.each(OPERATIONS)(
  "a call that $name loses and doubles nothing when the objects crash at any of its statements",
  { timeout: 120_000 },
  async (operation) => {
    const home = await CrashHousehold.create();
    const untroubled = await prepareScene(home, operation);
    const before = await untroubled.observe();
    expect(await operation.run(untroubled)).toMatchObject({ ok: true });
    await untroubled.runAlarms();
    const after = await untroubled.observe();
    expect(after).not.toEqual(before);
    await home.wipe();

    let steps = 0;
    for (let crashed = true; crashed; steps++) {
      const scene = await prepareScene(home, operation);
      crashed = await storage.crashAfter(steps, () => operation.run(scene));
      await scene.runAlarms();
      const restarted = await scene.observe();
      const isUnchanged = JSON.stringify(restarted) === JSON.stringify(before);
      if (!isUnchanged) expect(restarted, `after a crash at statement ${steps}`).toEqual(after);

      expect(await operation.run(scene)).toMatchObject({ ok: true });
      await scene.runAlarms();
      expect(await scene.observe(), `repeated after statement ${steps}`).toEqual(after);
      await home.wipe();
    }
    expect(steps).toBeGreaterThan(5);
  },
);
