/** The tool interface: one file per tool in `tools/`, listed in `tools/index.ts`. */
import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
} from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { ImagesEnv } from "../../attachments/image-preview.ts";
import type { UploadLink } from "../../auth/links/upload-links.ts";
import type { DownloadLink } from "../../auth/links/download-links.ts";
import type { ExchangeBindings } from "../../exchange/with-thread.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { McpCaller } from "./caller.ts";
import type { SendLog } from "./sessions/send-log.ts";
import type { McpTaskHandle } from "./tasks/protocol.ts";
import type { ErrorHints } from "./tool-errors.ts";

/** Annotations that clients show people before a call; every tool sets all four. */
export interface ToolHints {
  readOnly: boolean;
  destructive: boolean;
  idempotent: boolean;
  /** The tool contacts people or machines outside the exchange. */
  openWorld: boolean;
}

/** Makes links that work without a key for a few minutes. */
export interface LinkMaker {
  /** Downloads one file. */
  download(link: DownloadLink): Promise<string>;
  /** Opens a page on which a person adds one photo. */
  upload(link: UploadLink): Promise<string>;
}

export interface ToolContext {
  readonly env: ExchangeBindings & ImagesEnv;
  readonly caller: McpCaller;
  readonly links: LinkMaker;
  readonly mcp: ServerContext;
  /** Whether the client declared the tasks extension, and can get a task in place of a result. */
  readonly takesTasks: boolean;
  /** Whether the client shows its user forms, and can be asked before the result. */
  readonly showsForms: boolean;
  readonly log: SendLog;
}

/** The tool's name at an address: where other tools are offered, too, it has a prefix. */
export type ToolNamer = (name: string) => string;

export type ToolOutput = CallToolResult | McpTaskHandle | InputRequiredResult;

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the model: the tool's purpose, as short as possible. */
  readonly description: string;
  readonly hints: ToolHints;
  readonly input: z.ZodObject;
  /** The fields of `structuredContent`. */
  readonly output: z.ZodObject;
  /** Whether `exchange` can name the household, if the caller has several. */
  readonly takesExchange: boolean;
  /**
   * One of many tools: its listing leaves out what a client can do without, such as the second title and the limits
   * of numbers.
   */
  readonly isBrief?: true;
  /** Hints in place of those of refusals that name HTTP paths. Default: those that name the tools for requests. */
  readonly errorHints?: ErrorHints;
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
