import { describe, expect, it } from "vitest";
import { ThreadBench } from "./support.ts";

const ask = (...keys: string[]) => ({
  code: "needs_input",
  questions: keys.map((id) => ({ id, question: `what about ${id}?` })),
});

describe("questions (decisions 16–18, 22)", () => {
  it("are answered by key, and the thread returns to what it was", () => {
    const thread = new ThreadBench()
      .status("ann", "in_progress")
      .say("ann", { status: ask("pot", "amount") });

    thread.say("claude", { reply: { answers: { pot: "fern" } } });
    expect(thread.state.status).toBe("needs_input");

    thread.say("claude", { reply: { answers: { amount: "a cup" } } });
    expect(thread.state.status).toBe("in_progress");
    expect(thread.actions.at(-1)).toBe("replied");
  });

  it("take a bare answer where only one is open", () => {
    const thread = new ThreadBench().say("ann", {
      status: { code: "needs_input", message: "which pot?" },
    });
    thread.say("claude", { answer: { value: "the fern" } });
    expect(thread.state.status).toBe("pending");
  });

  it("take a bare answer by the ref of the question", () => {
    const thread = new ThreadBench()
      .say("ann", { status: ask("pot") })
      .say("ann", { status: ask("amount") });
    const fault = thread.try("claude", { answer: { value: "fern" } });
    expect(fault).toMatchObject({ code: "unknown_question", valid: ["pot", "amount"] });

    thread.say("claude", { answer: { value: "fern" } }, { about: "question-001-pot" });

    expect(thread.state.questions.map(({ key }) => key)).toEqual(["amount"]);
  });

  it("refuse a key that nobody asked for", () => {
    const thread = new ThreadBench().say("ann", { status: ask("pot") });
    const fault = thread.try("claude", { reply: { answers: { colour: "red" } } });
    expect(fault).toMatchObject({ code: "unknown_question", valid: ["pot"] });
  });

  it("refuse an answer when none is open", () => {
    const fault = new ThreadBench().try("claude", { reply: { answers: { pot: "fern" } } });
    expect(fault?.code).toBe("no_open_question");
  });

  it("may be asked before a claim, which others can still make", () => {
    const thread = new ThreadBench().say("ann", { status: ask("pot") });
    expect(thread.state).toMatchObject({
      status: "needs_input",
      executor: null,
      soft_claim: "ann",
    });

    thread.status("bot", "claimed");

    expect(thread.state).toMatchObject({ status: "claimed", executor: "bot", questions: [] });
  });

  it("stay open when the one who asked claims", () => {
    const thread = new ThreadBench().say("ann", { status: ask("pot") }).status("ann", "claimed");
    expect(thread.state).toMatchObject({ status: "needs_input", executor: "ann" });
    thread.say("claude", { reply: { answers: { pot: "fern" } } });
    expect(thread.state.status).toBe("claimed");
  });

  it("are not for executors to answer", () => {
    const thread = new ThreadBench().say("ann", { status: ask("pot") });
    expect(thread.try("ann", { reply: { answers: { pot: "x" } } })?.code).toBe("wrong_role");
  });
});

describe("confirmations (decisions 20, 21)", () => {
  const needs = (action: string) => ({ status: { code: "needs_confirmation", action } });

  it("hold up the work until the requestor agrees", () => {
    const thread = new ThreadBench()
      .status("ann", "in_progress")
      .say("ann", needs("throw out the dead fern"));
    expect(thread.try("ann", { status: { code: "completed" } })?.code).toBe(
      "confirmation_required",
    );
    expect(thread.try("ann", { response: { content: ["gone"] } })?.code).toBe(
      "confirmation_required",
    );

    thread.say("claude", { reply: { confirm: true } });

    expect(thread.state.status).toBe("in_progress");
    thread.status("ann", "completed");
  });

  it("refused put the thread in held", () => {
    const thread = new ThreadBench().say("ann", needs("throw out the fern"));
    thread.say("claude", { reply: { confirm: false, reason: "it is only thirsty" } });
    expect(thread.state).toMatchObject({ status: "held", executor: "ann" });
    expect(thread.try("ann", { status: { code: "declined" } })).toBeUndefined();
  });

  it("are demanded by confirm_before, each for its own action", () => {
    const thread = new ThreadBench({ confirm_before: true }).status("ann", "claimed");
    expect(thread.try("ann", { status: { code: "completed" } })?.code).toBe(
      "confirmation_required",
    );

    thread.say("ann", needs("cut the roses")).say("claude", { reply: { confirm: true } });
    thread.say("ann", needs("cut the hedge")).say("claude", { reply: { confirm: false } });
    expect(thread.try("ann", { status: { code: "completed" } })?.code).toBe(
      "confirmation_required",
    );

    thread.say("ann", needs("cut the roses")).say("claude", { reply: { confirm: true } });
    expect(thread.try("ann", { status: { code: "completed" } })).toBeUndefined();
  });

  it("cannot be given where nothing was asked", () => {
    expect(new ThreadBench().try("claude", { reply: { confirm: true } })?.code).toBe(
      "no_open_question",
    );
  });

  it("are the owner's to give as well", () => {
    const thread = new ThreadBench().say("ann", needs("x"));
    expect(thread.try("mum", { reply: { confirm: true } }, { owner: true })).toBeUndefined();
  });
});

describe("suggestions (decision 69)", () => {
  it("are accepted once, by their message where several are open", () => {
    const suggestion = (id: string) => ({
      suggestion: { id, type: "alternative", reason: "rain is coming" },
    });
    const thread = new ThreadBench()
      .say("ann", suggestion("later"))
      .say("ann", suggestion("never"));
    expect(thread.try("claude", { reply: { accept: true } })).toMatchObject({
      code: "ambiguous_ref",
      valid: [
        `${thread.state.ref}/suggestion-001-later`,
        `${thread.state.ref}/suggestion-002-never`,
      ],
    });

    thread.say("claude", { reply: { accept: true } }, { about: "suggestion-001-later" });

    expect(thread.actions.at(-1)).toBe("accepted");
    thread.say("claude", { reply: { accept: false } });
    expect(thread.actions.at(-1)).toBe("rejected");
  });
});
