import { describe, expect, it } from "vitest";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { buildRequestNews } from "../../../../src/mess/groups/request-news.ts";
import { GROUP_LIMITS } from "../../../../src/mess/groups/vocabulary.ts";

const REF = "2031-05-04-001-basil";

const build = (...blocks: JsonMap[]) =>
  buildRequestNews(
    { from: "ann", received: "2031-05-04T10:00:00Z", MESS: blocks },
    { serial: 2, name: "response-002", ref: REF },
  );

describe("the news of a request for an AI group", () => {
  it("a response is a report with its texts, values, file addresses and notes", () => {
    const content = [
      "It is dry",
      { structured: { liters: 2 } },
      { image: { resource: `content://${REF}/basil.png`, mime: "image/png", size: 10 } },
      { embedding: [0.1, 0.2] },
    ];

    const news = build({ response: { content, notes: "and dusty" } });

    expect(news).toEqual({
      serial: 2,
      kind: "report",
      name: "response-002",
      from: "ann",
      text: `It is dry\nstructured: {"liters":2}\nimage: content://${REF}/basil.png\nand dusty`,
    });
  });

  it("claims, progress and reasons to wait are no news", () => {
    expect(build({ status: { code: "claimed", message: "on my way" } })).toBeUndefined();
    expect(build({ status: { code: "in_progress", progress_pct: 40 } })).toBeUndefined();
    expect(build({ status: { code: "waiting", waiting_for: "rain" } })).toBeUndefined();
  });

  it("a final status is a report with its reason and what continues it", () => {
    const news = build({
      status: { code: "superseded", reason: "merge", superseded_by: "2031-05-04-002-herbs" },
    });

    expect(news).toMatchObject({
      kind: "report",
      text: "superseded\nmerge\ncontinued as 2031-05-04-002-herbs",
    });
  });

  it("the status completed is named only where nothing else is said", () => {
    const completed = { status: { code: "completed" } };

    expect(build(completed)).toMatchObject({ kind: "report", text: "completed" });
    expect(build({ response: { content: ["It is dry"] } }, completed)!.text).toBe("It is dry");
    expect(build({ status: { code: "partial", message: "half of it" } })!.text).toBe(
      "partial\nhalf of it",
    );
  });

  it("questions list their keys and choices, and say how to answer several", () => {
    const questions = [
      { id: "pot", question: "Which pot?", options: ["red", "blue"] },
      "How deep?",
    ];

    const news = build({ status: { code: "needs_input", questions } });

    expect(news).toMatchObject({ kind: "question" });
    expect(news!.text).toContain("pot: Which pot? (red | blue)\nq2: How deep?\n");
    expect(news!.text).toContain('{"pot": "…", "q2": "…"}');
  });

  it("a message with a question and a result is a question, and keeps both texts", () => {
    const news = build(
      { response: { content: ["It is dry"] } },
      { status: { code: "needs_confirmation", action: "water it", consequences: "wet floor" } },
    );

    expect(news).toMatchObject({ kind: "confirmation" });
    expect(news!.text).toMatch(/^It is dry\n.*water it\nwet floor\n/);
  });

  it("a suggestion can be accepted, and shows what is proposed", () => {
    const news = build({
      suggestion: { type: "alternative", proposed: { intent: "buy a new one" }, reason: "cheaper" },
    });

    expect(news).toMatchObject({ kind: "suggestion" });
    expect(news!.text).toContain('cheaper\n{"intent":"buy a new one"}');
  });

  it("a text that is longer than a message is cut, and names the request", () => {
    const news = build({ response: { content: ["x".repeat(20_000)] } });

    expect(news!.text).toHaveLength(GROUP_LIMITS.contentChars);
    expect(news!.text.endsWith(REF + ".")).toBe(true);
  });
});
