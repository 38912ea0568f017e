/** Questions to the user of an MCP client, which real clients ask by forms and as input of a task. */
import { resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { describe, expect, it } from "vitest";
import {
  ann,
  answer,
  connectLegacyClient,
  connectModernClient,
  type FillForm,
  readText,
  readThreadsOfAnn,
} from "./stage.ts";
import { openTaskSession } from "./task-session.ts";

describe("forms for the user of a client", () => {
  it.each(["2025", "2026"] as const)(
    "a client of %s answers a person's question by its form, without another tool",
    async (era) => {
      const forms: unknown[] = [];
      const fillForm: FillForm = async ({ params }) => {
        forms.push(params);
        return { action: "accept", content: { answer: "the red one" } } as never;
      };
      const mcp =
        era === "2025" ? await connectLegacyClient(fillForm) : await connectModernClient(fillForm);
      const intent = `Paint a chair (${era})`;
      const asked = mcp.callTool({
        name: "mess_do",
        arguments: { intent, requires: ["home-access"] },
      });
      const ref = await readThreadsOfAnn(intent);
      const questions = [
        { id: "chair", question: "Which chair?", options: ["the red one", "all"] },
      ];
      await ann.post(`/thread/${ref}`, {
        MESS: [{ status: { code: "needs_input", questions } }],
      });
      await expect
        .poll(async () => JSON.stringify(await ann.get(`/mess/${ref}`)), { timeout: 20_000 })
        .toContain("the red one");
      await answer(ref, "Painted.");

      const text = readText(await asked);

      expect(text).toContain("> Painted.");
      expect(forms).toHaveLength(1);
      expect(forms[0]).toMatchObject({
        requestedSchema: { properties: { answer: { enum: ["the red one", "all"] } } },
      });
    },
  );
});

describe("the client of the tasks extension", () => {
  it("an MCP task completes with the answer after its user answered the person's question", async () => {
    const asked: string[] = [];
    const session = await openTaskSession(
      async (request) => {
        asked.push(JSON.stringify(request));
        return { action: "accept", content: { answer: "the red one" } } as never;
      },
      { elicitation: {} },
    );
    const intent = "Move the chair";
    const execution = await session.callTool("mess_do", { intent, requires: ["home-access"] });
    const settled = execution.settle();
    const ref = await readThreadsOfAnn(intent);
    await ann.post(`/thread/${ref}`, {
      MESS: [{ status: { code: "needs_input", questions: ["Which chair?"] } }],
    });
    await expect
      .poll(async () => JSON.stringify(await ann.get(`/mess/${ref}`)), { timeout: 20_000 })
      .toContain("the red one");
    await answer(ref, "Moved the red one.");

    const { outcome } = await settled;
    const text = readText(resultFromTaskOutcome(outcome));

    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("Which chair?");
    expect(text).toMatch(/^ann-phone\b.*\n> Moved the red one\./);
    await session.close();
  });
});
