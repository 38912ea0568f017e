/** Prompts that a person picks: each says how to do the thing well with the tools. */
import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { boundedText } from "../../../mess/lengths.ts";

const buildPrompt = (text: string) => ({
  messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
});

const shortTextSchema = boundedText(2_000);

export function servePrompts(server: McpServer): void {
  server.registerPrompt(
    "observe",
    {
      title: "Ask for an observation",
      description: "Have somebody look at something, and tell what they saw",
      argsSchema: z.object({
        what: shortTextSchema.describe("What you want to know"),
        where: shortTextSchema.optional().describe("Where to look"),
      }),
    },
    ({ what, where }) =>
      buildPrompt(
        `Find out: ${what}${where === undefined ? "" : `\nWhere: ${where}`}

Look at mess_capabilities first. Then call mess_observe once, with an id of your own, a plain intent, the context a stranger to my home would need, and response_hint if a photo would help. If no answer comes in time, tell me the ref and who was asked, and look again with mess_wait when I come back. Report what the person said in their words, and show the photos with mess_fetch. If nobody can do it, or it was declined, say so.`,
      ),
  );
  server.registerPrompt(
    "plan",
    {
      title: "Plan a batch with dependencies",
      description: "Split a goal into requests of which some wait for others, and send them as one",
      argsSchema: z.object({ goal: shortTextSchema.describe("What should be done in the end") }),
    },
    ({ goal }) =>
      buildPrompt(
        `Plan this as requests to people and machines: ${goal}

1. Call mess_capabilities, and plan only what somebody there can do.
2. Write the steps as one MESS batch: every request with its own id, an intent that stands by itself, requires, and constraints.depends_on with the ids of the steps it needs. Steps that do not need each other run side by side. Put confirm_before: true on what cannot be undone or costs money.
3. Show me the plan as a list with who would do what, and wait for my yes.
4. Send it with the tool mess, with an id, in one message:
MESS:
  - request: {id: measure, intent: "…"}
  - request: {id: order, intent: "…", constraints: {depends_on: [measure]}}
5. Give me the refs, and follow them with mess_status.`,
      ),
  );
  server.registerPrompt(
    "review",
    {
      title: "Daily review of what is open",
      description: "Go through open requests: what awaits you, what is stuck, what came back",
    },
    () =>
      buildPrompt(
        `Review my requests. List the open ones with mess_status, and the latest finished ones with mess_status finished=true.

Sort them for me: first what awaits my answer or confirmation (with the question in the person's words), then what is stuck (asked long ago and nobody took it, waiting, held, near its expiry), then what is under way, then what came back since yesterday with its outcome. For each stuck one propose one step: wait, ask somebody else, ask differently, or cancel. Change nothing before I agree.`,
      ),
  );
}
