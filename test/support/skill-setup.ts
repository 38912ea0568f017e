/** Starts an exchange with an agent that follows the skill, and its executors. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { Ack } from "../../scripts/lib/client.ts";
import { Agent, type Result, Worker } from "./scripted-members.ts";
import { readExample, listToolCalls, type ToolCall } from "./skill.ts";
import { type SharedExchange, joinExchange } from "./exchange-process.ts";

export const PHOTO = readFileSync(new URL("../../scripts/assets/fridge.jpg", import.meta.url));

export interface Stage {
  stack: SharedExchange;
  agent: Agent;
  ann: Worker;
  roomba: Worker;
  /** Makes the call that the skill shows for this tool with these arguments; undefined matches a call without one. */
  play: (name: string, some?: Record<string, unknown>) => Promise<Result>;
  /** Calls that were made. */
  played: Set<ToolCall>;
  /** Sends the example file unchanged and returns the ack. */
  post: (name: string) => Promise<Ack>;
  /** Examples that were sent. */
  posted: Set<string>;
  strike: () => Promise<void>;
}

export async function setStage(): Promise<Stage> {
  const stack = await joinExchange();
  const { origin, mcp, keys } = stack.ready;
  const agent = await Agent.connect({ origin, mcp }, keys.agent);
  const createWorker = (id: string) => new Worker(origin, keys.executors[id] ?? "");
  const calls = listToolCalls();
  const played = new Set<ToolCall>();
  const posted = new Set<string>();
  return {
    stack,
    agent,
    ann: createWorker("ann-phone"),
    roomba: createWorker("roomba"),
    played,
    posted,
    async play(name, some = {}) {
      const wanted = Object.entries(some);
      const fits = calls.filter(
        (call) =>
          call.name === name && wanted.every(([key, value]) => call.arguments[key] === value),
      );
      expect(fits, `calls of ${name} with ${JSON.stringify(some)}`).toHaveLength(1);
      const [call] = fits as [ToolCall];
      played.add(call);
      return await agent.call(name, call.arguments);
    },
    post(name) {
      posted.add(name);
      return agent.http.mess(readExample(name));
    },
    async strike() {
      await agent.close();
    },
  };
}
