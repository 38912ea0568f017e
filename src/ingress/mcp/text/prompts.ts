/** Prompts that a person can pick in the client: each explains how to do one job well with the tools. */
import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import { SECRETARY_AGENT_PROMPT } from "../../../mess/sources/secretary.ts";

const buildPrompt = (text: string) => ({
  messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
});

const shortTextSchema = boundedTextSchema(2_000);

export function servePrompts(server: McpServer): void {
  server.registerPrompt(
    "observe",
    {
      title: "Ask for an observation",
      description: "Ask someone to look at something, and report what they saw",
      argsSchema: z.object({
        what: shortTextSchema.describe("What you want to know"),
        where: shortTextSchema.optional().describe("Where to look"),
      }),
    },
    ({ what, where }) =>
      buildPrompt(
        `Find out: ${what}${where === undefined ? "" : `\nWhere: ${where}`}

Call mess_capabilities first. Then call mess_observe once, with a unique id, a plain intent, the context that someone who does not know my home would need, and response_hint if a photo would help. If no answer comes in time, tell me the ref and who was asked, and check again with mess_wait when I come back. Quote the person's answer, and show the photos with mess_fetch. If nobody can do it, or it was declined, say so.`,
      ),
  );
  server.registerPrompt(
    "plan",
    {
      title: "Plan a batch with dependencies",
      description: "Split a goal into requests with dependencies, and send them as one batch",
      argsSchema: z.object({ goal: shortTextSchema.describe("The goal") }),
    },
    ({ goal }) =>
      buildPrompt(
        `Plan this as requests to people and machines: ${goal}

1. Call mess_capabilities, and plan only steps that an executor there can do.
2. Write the steps as one MESS batch: every request with its own id, an intent that is clear without the others, requires, and constraints.depends_on with the ids of the steps it needs. Independent steps run in parallel. Put confirm_before: true on steps that cannot be undone or cost money.
3. Show me the plan as a list with the executor of each step, and wait for my approval.
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
      title: "Daily review of open requests",
      description: "Review open requests: waiting for you, stuck, answered",
    },
    () =>
      buildPrompt(
        `Review my requests. List them with mess_status; status=open and status=finished list more of each.

Sort them for me: first those that wait for my answer or confirmation (quote the question), then stuck ones (old and not claimed, waiting, held, or close to expiry), then those in progress, then those that ended since yesterday with the result. For each stuck one propose one step: wait, ask someone else, rephrase it, or cancel. Change nothing before I agree.`,
      ),
  );
}

/** For addresses that offer message sources. */
export function serveMessagePrompts(server: McpServer): void {
  server.registerPrompt(
    "secretary",
    {
      title: "Work as the secretary",
      description: "Read and sort the incoming messages, and prepare answers for approval",
    },
    () => buildPrompt(SECRETARY_AGENT_PROMPT),
  );
}
