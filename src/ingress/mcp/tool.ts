/** What a tool is: one file each in `tools/`, listed in `tools/index.ts`. */
import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { ExchangeBindings } from "../../exchange/with-thread.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { McpCaller } from "./caller.ts";
import type { McpTaskHandle } from "./tasks/protocol.ts";

/** What clients show people before a call; all four are stated on every tool. */
export interface ToolHints {
  readOnly: boolean;
  destructive: boolean;
  idempotent: boolean;
  /** Reaches people or machines beyond the exchange. */
  openWorld: boolean;
}

export interface ToolContext {
  readonly env: ExchangeBindings;
  readonly caller: McpCaller;
  /** Address of the deployment, `https://mess.example`. */
  readonly origin: string;
  readonly mcp: ServerContext;
  /** The client declared the tasks extension, and may be given a task in place of a result. */
  readonly takesTasks: boolean;
}

/** Text stands for a result of that text. */
export type ToolOutput = string | CallToolResult | McpTaskHandle;

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the model: what it is for, in as few words as do. */
  readonly description: string;
  readonly hints: ToolHints;
  readonly input: z.ZodObject;
  /** `exchange` may name the household, where the caller has several. */
  readonly takesExchange: boolean;
  run(input: never, call: ToolContext): Promise<Outcome<ToolOutput>>;
}

interface Definition<S extends z.ZodObject> extends Omit<Tool, "input" | "run" | "takesExchange"> {
  readonly input: S;
  readonly takesExchange?: false;
  run(
    input: z.output<S> & { exchange?: string | undefined },
    call: ToolContext,
  ): Promise<Outcome<ToolOutput>>;
}

export const defineTool = <S extends z.ZodObject>(tool: Definition<S>): Tool => ({
  takesExchange: true,
  ...tool,
});
