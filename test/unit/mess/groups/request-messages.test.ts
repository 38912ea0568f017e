import { describe, expect, it } from "vitest";
import { buildAnswer, buildTaskRequest } from "../../../../src/mess/groups/request-messages.ts";
import { LIMITS } from "../../../../src/mess/limits.ts";
import { checkMessages } from "../../../../src/mess/wire/parse.ts";

const FROM = { name: "Boss", topic: "The kitchen" };
const REF = "2031-05-04-001-basil";

const buildBody = (content: string) =>
  buildTaskRequest(content, undefined, FROM).blocks[0]!.body as Record<string, unknown>;

const answer = (content: string, kind: "question" | "confirmation" | "suggestion") =>
  buildAnswer(content, REF, { name: "question-002", kind });

describe("the request of a task in an AI group", () => {
  it("a task of one line is the intent, and the context names the sender and the group", () => {
    expect(buildBody("  Look at the basil ")).toMatchObject({
      intent: "Look at the basil",
      context: ["Asked by Boss in the group “The kitchen”."],
    });
  });

  it("a longer task is in the context as a whole", () => {
    const text = `${"x".repeat(LIMITS.intentChars + 1)}\nsecond line`;

    const { intent, context } = buildBody(text);

    expect(intent).toHaveLength(LIMITS.intentChars);
    expect(context).toEqual([text, expect.any(String)]);
    expect(checkMessages([buildTaskRequest(text, "urgent", FROM)]).ok).toBe(true);
  });
});

describe("the answer to a question about a task in an AI group", () => {
  it("a text answers one question, and a JSON object several", () => {
    expect(answer(" red ", "question")).toEqual({
      re: `${REF}/question-002`,
      blocks: [{ type: "reply", body: { answers: "red" } }],
    });
    expect(answer('{"pot": "red"}', "question").blocks[0]!.body).toEqual({
      answers: { pot: "red" },
    });
    expect(answer("{not JSON", "question").blocks[0]!.body).toEqual({ answers: "{not JSON" });
  });

  it("the first word of a reply to an action or a suggestion decides, the rest is the reason", () => {
    expect(answer("yes", "confirmation").blocks[0]!.body).toEqual({ confirm: "yes" });
    expect(answer("No, keep it.", "confirmation").blocks[0]!.body).toEqual({
      confirm: "No",
      reason: "keep it.",
    });
    expect(answer("yes: good idea", "suggestion").blocks[0]!.body).toEqual({
      accept: "yes",
      reason: "good idea",
    });
    expect(answer("no!", "suggestion").blocks[0]!.body).toEqual({ accept: "no" });
  });

  it("a reply that is neither yes nor no is refused by the exchange", () => {
    expect(checkMessages([answer("perhaps", "confirmation")]).ok).toBe(false);
    expect(checkMessages([answer("YES, do it", "confirmation")]).ok).toBe(true);
  });
});
