/** Collects the MCP responses of a running exchange and compares their size with token budgets. */
import { createClient } from "./client.ts";
import type { ReadyFile } from "./exchange/exchange.ts";
import { DEMO_PHONE_ID } from "./demo/demo-household.ts";
import { estimateTokens } from "./tokens.ts";

export const BUDGETS = {
  tools: { budget: 4_000, what: "the whole list of tools" },
  instructions: { budget: 400, what: "the server's instructions" },
  pending: { budget: 300, what: "the status of a request that nobody answered yet" },
  asking: { budget: 300, what: "the status of a request with an open question" },
  answered: { budget: 300, what: "the status of an answered request with a photo" },
  groupTools: { budget: 4_000, what: "the list of tools for groups" },
  groupInstructions: { budget: 400, what: "the instructions for groups" },
  messageTools: { budget: 2_500, what: "the list of tools for messages" },
  messageInstructions: { budget: 400, what: "the instructions for messages" },
  list: { budget: 600, what: "a full page of the list of requests" },
} as const;

export type CollectedTexts = Record<keyof typeof BUDGETS, string>;

export interface TextCost {
  what: string;
  tokens: number;
  budget: number;
}

export const computeCosts = (texts: CollectedTexts): TextCost[] =>
  Object.entries(BUDGETS).map(([name, budget]) => ({
    ...budget,
    tokens: estimateTokens(texts[name as keyof CollectedTexts]),
  }));

interface Result {
  content: { text?: string }[];
  tools: unknown;
  instructions: string;
}

/** Plays an agent and a person, and returns the texts that the agent's model receives. */
export async function collectTexts({ origin, mcp, keys }: ReadyFile): Promise<CollectedTexts> {
  const call = async (method: string, params: object, address = mcp): Promise<Result> => {
    const response = await fetch(address, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${keys.agent}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const text = await response.text();
    const json = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
    return (JSON.parse(json) as { result: Result }).result;
  };
  const callTool = async (name: string, args: object): Promise<string> => {
    const { content } = await call("tools/call", { name, arguments: args });
    return content.map(({ text }) => text ?? "").join("\n");
  };
  const person = createClient(origin, keys.executors[DEMO_PHONE_ID] ?? "");
  const post = (ref: string, ...MESS: object[]) => person.post(`/thread/${ref}`, { MESS });
  const buildStatus = (re: string) => callTool("mess_status", { re });

  const observed = await callTool("mess_observe", {
    intent: "Check whether the storm has torn the cover of the boat, and tie it down again",
    context: ["It lies at the second jetty"],
    requires: ["check-visual"],
    id: "boat-cover",
    wait_seconds: 0,
  });
  const ref = /\d{4}-\d\d-\d\d-\d{3,}[a-z0-9-]*/.exec(observed)?.[0] ?? "";
  const pending = await buildStatus(ref);
  await post(ref, {
    status: {
      code: "needs_input",
      questions: [
        { id: "rope", question: "May I use the rope in the shed?", options: ["yes", "no"] },
      ],
    },
  });
  const asking = await buildStatus(ref);
  await callTool("mess_reply", { re: ref, answers: { rope: "yes" } });
  const image = `data:image/jpeg;base64,${Buffer.from(`\xff\xd8\xff${"x".repeat(9_000)}`, "latin1").toString("base64")}`;
  await post(
    ref,
    {
      response: {
        content: [
          "One corner had come loose and flapped in the wind, but nothing is torn. I tied it to the jetty with the blue rope.",
          { image },
        ],
      },
    },
    { status: { code: "completed" } },
  );
  for (let count = 1; count <= 11; count++)
    await callTool("mess_do", {
      intent: `Read the meter in flat ${count} of the old house`,
      wait_seconds: 0,
    });
  const clientInfo = { name: "token-cost", version: "1.0.0" };
  const handshake = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const { tools } = await call("tools/list", {});
  const { instructions } = await call("initialize", handshake);
  const groupTools = await call("tools/list", {}, `${mcp}/groups`);
  const groups = await call("initialize", handshake, `${mcp}/groups`);
  const messageTools = await call("tools/list", {}, `${mcp}/messages`);
  const messages = await call("initialize", handshake, `${mcp}/messages`);
  return {
    tools: JSON.stringify(tools),
    instructions,
    groupTools: JSON.stringify(groupTools.tools),
    groupInstructions: groups.instructions,
    messageTools: JSON.stringify(messageTools.tools),
    messageInstructions: messages.instructions,
    pending,
    asking,
    answered: await buildStatus(ref),
    list: await callTool("mess_status", {}),
  };
}
