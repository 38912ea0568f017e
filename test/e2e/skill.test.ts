/**
 * Makes every tool call of the skill unchanged against a started exchange: the agent calls, members do the work, and
 * the results are those that the skill shows.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectNaming } from "../support/naming.ts";
import { listBlocks } from "../support/scripted-members.ts";
import { normalizeOutput } from "../support/shell-blocks.ts";
import { listToolCalls, listResults, SKILL } from "../support/skill.ts";
import { PHOTO, setStage, type Stage } from "../support/skill-setup.ts";

let stage: Stage;

/** Lines of a result without quotations of members. */
const ownLines = (text: string): string[] =>
  text.split("\n").filter((line) => !line.startsWith("> "));

const FACT =
  /"[^"]*"|content:\/\/\S+|REF[\w-]*|\bann-phone\b|\bmess_\w+|\bcompleted\b|\w+\/jpeg|\d+ KB/g;

/**
 * The facts in a result, independent of wording: quoted lines, names, refs, addresses, tools and statuses, in order.
 */
const factsOf = (text: string): string[] =>
  normalizeOutput(text)
    .replaceAll(/DAY-\d{3,}/g, "REF")
    .split("\n")
    .flatMap((line) => (line.startsWith("> ") ? [line] : (line.match(FACT) ?? [])));

beforeAll(async () => {
  stage = await setStage();
});
afterAll(async () => {
  await stage?.strike();
});

describe("observing", () => {
  it("the skill's call of mess_observe returns the text, the photo and the status", async () => {
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

    const shownFacts = factsOf(listResults()[0] ?? "");
    expect(shownFacts.length).toBeGreaterThan(5);
    expect(factsOf(text)).toEqual(shownFacts);
    const fetched = await stage.play("mess_fetch");
    expect(fetched.images).toEqual([new Uint8Array(PHOTO)]);
    const { messages } = await stage.ann.read(ref);
    const shown = listToolCalls().find(({ name }) => name === "mess_observe")?.arguments;
    expect(messages[0]?.MESS).toContainEqual({ request: { ...shown, coalesce: true } });
  });
});

describe("acting", () => {
  it("the skill's calls answer a question, cancel a request, and never create it twice", async () => {
    const asked = stage.play("mess_do", { id: "bins-out" });
    const ref = await stage.ann.offered("bins-out");
    await stage.ann.report(ref, "claimed");
    await stage.ann.report(ref, "needs_input", {
      questions: [{ id: "second_bin", question: "The brown one too?", options: ["yes", "no"] }],
    });
    const { text } = await asked;
    expect(text).toContain("> needs_input: second_bin: The brown one too? (yes | no)");
    expect(ownLines(text)).toContainEqual(expectNaming("second_bin"));

    const replied = await stage.play("mess_reply", { re: "bins-out" });

    expect(replied.text).toEqual(expectNaming(ref, "claimed", "ann-phone"));
    const answered = await stage.ann.read(ref);
    expect(answered.envelope).toMatchObject({ status: "claimed", priority: "elevated" });
    expect(listBlocks(answered, "reply")).toEqual([{ answers: { second_bin: "no" } }]);

    const cancelled = await stage.play("mess_cancel");

    expect(cancelled.text).toEqual(expectNaming(ref, "cancelled"));
    const { envelope } = await stage.ann.read(ref);
    expect(envelope.history.at(-1)).toMatchObject({
      action: "cancelled",
      note: "The collection was moved to Friday",
    });
    expect((await stage.play("mess_do", { id: "bins-out" })).text).toEqual(expectNaming(ref));
  });

  it("the skill's calls preview a route, continue without waiting, and fetch the answer later", async () => {
    const route = await stage.play("mess_capabilities");
    expect(route.text).toMatch(/^1\. roomba\b/m);

    const asked = await stage.play("mess_do", { id: "vacuum-hall" });

    const ref = await stage.roomba.offered("vacuum-hall");
    expect(asked.text).toEqual(expectNaming(ref, "pending", "roomba"));
    const open = await stage.play("mess_status", { re: undefined });
    expect(open.text.split("\n")).toContainEqual(expectNaming(ref, "pending"));
    const waiting = stage.play("mess_wait");
    await stage.roomba.report(ref, "claimed");
    expect((await stage.play("mess_status", { re: "vacuum-hall" })).text).toEqual(
      expectNaming(ref, "claimed", "roomba"),
    );
    await stage.roomba.finish(ref, "Hall done, eleven square metres.");
    expect((await waiting).text).toMatch(/^roomba\b.*\n> Hall done, eleven square metres\.\n/);
  });

  it("a deadline in the form that the skill shows is accepted", async () => {
    const [, shown = ""] = /`needed_by` is .*`(\d{4}-[^`]*)`/.exec(SKILL) ?? [];
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const needed_by = shown.replace(/^\d{4}-\d\d-\d\d/, tomorrow);

    const { text } = await stage.agent.call("mess_do", {
      intent: "Water the basil",
      needed_by,
      wait_seconds: 0,
    });

    const [shownTime = ""] = /\d{4}-\d\d-\d\dT[\d:]+(?:Z|[+-][\d:]+)/.exec(text) ?? [];
    expect(Date.parse(shownTime)).toBe(Date.parse(needed_by));
  });
});

describe("confirmation of final actions", () => {
  it("the skill's calls refuse and give a confirmation, and accept a suggestion", async () => {
    const asked = stage.play("mess_do", { id: "clear-shed" });
    const ref = await stage.ann.offered("clear-shed");
    await stage.ann.report(ref, "claimed");
    const early = await stage.ann.finish(ref, "All gone").catch((error: Error) => error.message);
    expect(early).toContain("confirmation_required");
    await stage.ann.report(ref, "needs_confirmation", { action: "Throw the lawn chair away" });
    const { text } = await asked;
    expect(text).toContain("> needs_confirmation: Throw the lawn chair away");
    expect(ownLines(text)).toContainEqual(expectNaming("mess_reply", "confirm"));

    const refused = await stage.play("mess_reply", { re: "clear-shed", confirm: false });
    expect(refused.text).toEqual(expectNaming(ref, "ann-phone"));
    expect((await stage.ann.read(ref)).envelope).toMatchObject({ status: "held" });

    const { cursor } = await stage.agent.http.get<{ cursor: number }>(`/mess/${ref}`);
    const waiting = stage.agent.call("mess_wait", { re: ref, cursor });
    const proposed = "Hang it on the wall; the loft is full";
    await stage.ann.tell(ref, [{ suggestion: { type: "alternative", proposed } }]);
    const suggested = await waiting;
    expect(suggested.text).toContain(`> suggestion (alternative): proposed: ${proposed}`);
    expect(suggested.text).toContain(`${ref}/suggestion-`);
    expect((await stage.play("mess_reply", { accept: true })).text).not.toContain("/suggestion-");
    expect(listBlocks(await stage.ann.read(ref), "reply").at(-1)).toEqual({ accept: true });

    await stage.ann.report(ref, "needs_confirmation", {
      action: "Hang the lawn chair on the wall",
    });
    await stage.play("mess_reply", { re: "clear-shed", confirm: true });
    await stage.ann.finish(ref, "Both bicycles fit in.");
    expect((await stage.agent.call("mess_status", { re: ref })).text).toEqual(
      expectNaming(ref, "completed", "ann-phone"),
    );
  });
});

it("every call that the skill shows was made", () => {
  expect(listToolCalls()).toHaveLength(stage.played.size);
});
