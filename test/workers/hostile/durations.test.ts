import { afterEach, describe, expect, it, vi } from "vitest";
import { openScene, type Scene } from "../respond/support.ts";
import { createMopTask, createRobotHousehold } from "../robots/support.ts";
import { type Caller, expectOkJson, readRefusal } from "../support.ts";
import { expectSoon } from "./support.ts";

/** Hours of work for a regex that matches white space in several ways. */
const HOSTILE = `1w${" ".repeat(800)}x`;

const post = (caller: Caller, body: object): Promise<Response> =>
  caller.postBlocks({ request: { intent: "look at the basil", ...body } });

const PLACES: readonly [string, (scene: Scene) => Promise<Response>][] = [
  [
    "eta of a status",
    ({ browser, ref }) =>
      browser.appendBlocks(ref, { status: { code: "in_progress", eta: HOSTILE } }),
  ],
  ["validity", ({ agent }) => post(agent, { validity: HOSTILE })],
  ["timing.expires", ({ agent }) => post(agent, { constraints: { timing: { expires: HOSTILE } } })],
  [
    "timing.valid_for",
    ({ agent }) => post(agent, { constraints: { timing: { valid_for: HOSTILE } } }),
  ],
  [
    "lease",
    ({ owner }) => owner.postBlocks({ config: { executor: { id: "ann", lease: HOSTILE } } }),
  ],
  [
    "dispatch.ladder",
    ({ owner }) => owner.postBlocks({ config: { dispatch: { ladder: { urgent: HOSTILE } } } }),
  ],
];

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("a duration of one unit, 800 spaces and a wrong letter", () => {
  it.each(PLACES)("a malicious duration is refused quickly as %s", async (_place, call) => {
    const scene = await openScene();

    const response = await expectSoon(call(scene));

    expect(await readRefusal(response)).toMatch(/^400 bad_(?:time|duration|field)$/);
  });

  it("a duration is refused if only its length is wrong", async () => {
    const { agent } = await openScene();
    const buildValidity = (spaces: number) => `1d${" ".repeat(spaces)}6h`;

    expect(await readRefusal(await post(agent, { validity: buildValidity(61) }))).toMatch(
      /^400 bad_/,
    );
    await expectOkJson(await post(agent, { validity: buildValidity(60) }));
  });

  it("a malicious duration is refused quickly in a robot's response", async () => {
    const { agent, moppy } = await createRobotHousehold();
    moppy.script.push(() =>
      Response.json({ MESS: [{ status: { code: "in_progress", eta: HOSTILE } }] }),
    );

    const ref = await createMopTask(agent);

    await expectSoon(
      vi.waitFor(async () => {
        const { envelope } = await agent.read(`/mess/${ref}`);
        const notes = envelope.history.map(({ note }: { note?: string }) => note);
        expect(notes).toContainEqual(expect.stringMatching(/moppy.*\bbad_time$/));
      }, 5_000),
    );
  });
});
