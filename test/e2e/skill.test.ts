/**
 * Every tool call that the skill shows, played as it stands against a started exchange: the agent calls, members do
 * the work, and what the agent then reads is what the skill says.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listBlocks } from "../support/scripted-members.ts";
import { normalizeOutput } from "../support/shell-blocks.ts";
import { listToolCalls, listResults, SKILL } from "../support/skill.ts";
import { PHOTO, setStage, type Stage } from "../support/skill-setup.ts";
import { removeDirectories } from "../support/exchange-process.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});
afterAll(async () => {
  await stage?.strike();
  removeDirectories();
});

describe("looking", () => {
  it("brings the words, the photo and where the request stands", async () => {
    const asked = stage.play("mess_observe", { id: "attic-window" });
    const ref = await stage.ann.offered("attic-window");
    await stage.ann.report(ref, "claimed");
    await stage.ann.tell(
      ref,
      [
        { response: { content: ["Shut, but the sill is wet.", { image: { file: "attic.jpg" } }] } },
        { status: { code: "completed" } },
      ],
      [new File([PHOTO], "attic.jpg", { type: "image/jpeg" })],
    );

    const { text } = await asked;

    const serials = (words: string) => normalizeOutput(words).replaceAll(/DAY-\d{3,}/g, "REF");
    expect(serials(text)).toBe(serials(listResults()[0] ?? ""));
    const fetched = await stage.play("mess_fetch");
    expect(fetched.images).toEqual([new Uint8Array(PHOTO)]);
    const { messages } = await stage.ann.read(ref);
    const shown = listToolCalls().find(({ name }) => name === "mess_observe")?.arguments;
    expect(messages[0]?.MESS).toContainEqual({ request: { ...shown, coalesce: true } });
  });
});

describe("doing", () => {
  it("asks back, is answered, called off, and asked for once only", async () => {
    const asked = stage.play("mess_do", { id: "bins-out" });
    const ref = await stage.ann.offered("bins-out");
    await stage.ann.report(ref, "claimed");
    await stage.ann.report(ref, "needs_input", {
      questions: [{ id: "second_bin", question: "The brown one too?", options: ["yes", "no"] }],
    });
    const { text } = await asked;
    expect(text).toContain("> needs_input: second_bin: The brown one too? (yes | no)");
    expect(text).toContain("Open questions: second_bin.");

    const replied = await stage.play("mess_reply", { re: "bins-out" });

    expect(replied.text).toContain("claimed, held by ann-phone");
    const answered = await stage.ann.read(ref);
    expect(answered.envelope).toMatchObject({ status: "claimed", priority: "elevated" });
    expect(listBlocks(answered, "reply")).toEqual([
      { answers: { second_bin: "No, only the green one" } },
    ]);

    const cancelled = await stage.play("mess_cancel");

    expect(cancelled.text).toMatch(new RegExp(`Request ${ref} ".*": cancelled`));
    const { envelope } = await stage.ann.read(ref);
    expect(envelope.history.at(-1)).toMatchObject({
      action: "cancelled",
      note: "The collection was moved to Friday",
    });
    expect((await stage.play("mess_do", { id: "bins-out" })).text).toContain(`Request ${ref}`);
  });

  it("tells whom it would reach, goes on without waiting, and comes back", async () => {
    const route = await stage.play("mess_capabilities");
    expect(route.text).toMatch(/^Would go to:\n1\. roomba \(/);

    const asked = await stage.play("mess_do", { id: "vacuum-hall" });

    expect(asked.text).toContain("pending, asked roomba");
    const ref = await stage.roomba.offered("vacuum-hall");
    const open = await stage.play("mess_status", { re: undefined });
    expect(open.text).toContain(`${ref}: pending`);
    const waiting = stage.play("mess_wait");
    await stage.roomba.report(ref, "claimed");
    expect((await stage.play("mess_status", { re: "vacuum-hall" })).text).toContain(
      "held by roomba",
    );
    await stage.roomba.finish(ref, "Hall done, eleven square metres.");
    expect((await waiting).text).toMatch(/^roomba wrote .*\n> Hall done, eleven square metres\.\n/);
  });

  it("happens by a deadline in the form that the skill gives", async () => {
    const [, shown = ""] = /`needed_by` is .*`(\d{4}-[^`]*)`/.exec(SKILL) ?? [];
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const needed_by = shown.replace(/^\d{4}-\d\d-\d\d/, tomorrow);

    const { text } = await stage.agent.call("mess_do", {
      intent: "Water the basil",
      needed_by,
      wait_seconds: 0,
    });

    const [, expires = ""] = /expires ([^\s,.]*)/.exec(text) ?? [];
    expect(Date.parse(expires)).toBe(Date.parse(needed_by));
  });
});

describe("a yes before what is final", () => {
  it("is asked for, refused with a reason, and given; a suggestion is taken", async () => {
    const asked = stage.play("mess_do", { id: "clear-shed" });
    const ref = await stage.ann.offered("clear-shed");
    await stage.ann.report(ref, "claimed");
    const early = await stage.ann.finish(ref, "All gone").catch((error: Error) => error.message);
    expect(early).toContain("confirmation_required");
    await stage.ann.report(ref, "needs_confirmation", { action: "Throw the lawn chair away" });
    const { text } = await asked;
    expect(text).toContain("> needs_confirmation: Throw the lawn chair away");
    expect(text).toContain("It awaits your yes or no");

    expect((await stage.play("mess_reply", { re: "clear-shed", confirm: false })).text).toContain(
      ": held, held by ann-phone",
    );

    const { cursor } = await stage.agent.http.get<{ cursor: number }>(`/mess/${ref}`);
    const waiting = stage.agent.call("mess_wait", { re: ref, cursor });
    const proposed = "Hang it on the wall; the loft is full";
    await stage.ann.tell(ref, [{ suggestion: { type: "alternative", proposed } }]);
    const suggested = await waiting;
    expect(suggested.text).toContain(`> suggestion: proposed: ${proposed}`);
    expect(suggested.text).toContain(`Open suggestions: ${ref}/suggestion-`);
    expect((await stage.play("mess_reply", { accept: true })).text).not.toContain(
      "Open suggestions",
    );
    expect(listBlocks(await stage.ann.read(ref), "reply").at(-1)).toEqual({ accept: true });

    await stage.ann.report(ref, "needs_confirmation", {
      action: "Hang the lawn chair on the wall",
    });
    await stage.play("mess_reply", { re: "clear-shed", confirm: true });
    await stage.ann.finish(ref, "Both bicycles fit in.");
    expect((await stage.agent.call("mess_status", { re: ref })).text).toContain(
      ": completed, by ann",
    );
  });
});

it("every call that the skill shows was played", () => {
  expect(listToolCalls()).toHaveLength(stage.played.size);
});
