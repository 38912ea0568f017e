/**
 * A robot that is an MCP server, built with the official SDKs: with sessions and streams (2025), with plain JSON and
 * without sessions, or of revision 2026 only. It handles web requests, so it runs in any runtime; `mcp-robot-server.ts`
 * serves it on a port.
 */
import { defined } from "../../../src/mess/defined.ts";
import { McpServer as ServerOf2025 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  createMcpHandler,
  McpServer as ServerOf2026,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import * as z from "zod";

/** A tool call of the exchange. */
export interface RobotWork {
  intent: string;
  ref: string;
  request: Record<string, unknown>;
  context: string[];
  event: string;
  news?: string | undefined;
  callback?: { url: string; token: string; expires: string } | undefined;
}

export interface At {
  /** Reports progress. */
  readonly progress: (progress: number, total?: number, message?: string) => Promise<void>;
  /** Aborted when the exchange cancels the call. */
  readonly signal: AbortSignal;
}

type Content =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string };

export interface Done {
  content: Content[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export interface McpRobotOptions {
  readonly era?: "session" | "json" | "modern";
  readonly tool?: string;
  /** The bearer token that it requires. */
  readonly token?: string;
  /**
   * Responds with a task that may be polled after so many milliseconds, to callers that accept tasks (`modern` only).
   */
  readonly poll?: number;
  readonly work: (work: RobotWork, at: At) => Promise<Done>;
}

/** A task of the robot with its current state (SEP-2663). */
export type Job =
  | { status: "working" | "cancelled"; statusMessage?: string }
  | { status: "completed"; result: Done }
  | { status: "failed"; error: { code: number; message: string } };

const TASKS = "io.modelcontextprotocol/tasks";
const byId = z.looseObject({ taskId: z.string() });

const shape = {
  intent: z.string(),
  ref: z.string(),
  request: z.record(z.string(), z.unknown()),
  context: z.array(z.string()),
  event: z.string(),
  news: z.string().optional(),
  callback: z.object({ url: z.string(), token: z.string(), expires: z.string() }).optional(),
  earlier: z.array(z.record(z.string(), z.unknown())).optional(),
};
const INFO = { name: "robot", version: "1.0.0" };

interface Extra {
  signal: AbortSignal;
  progressToken: string | number | undefined;
  notify: (params: {
    progressToken: string | number;
    progress: number;
    total?: number;
    message?: string;
  }) => Promise<void>;
}

export function createMcpRobot(options: McpRobotOptions) {
  const { era = "session", tool = "execute_task", token, poll, work } = options;
  const calls: RobotWork[] = [];
  const jobs = new Map<string, Job>();
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

  const run = async (args: RobotWork, { signal, progressToken, notify }: Extra): Promise<Done> => {
    calls.push(args);
    return await work(args, {
      signal,
      progress: async (progress, total, message) => {
        if (progressToken === undefined) return;
        await notify({
          progressToken,
          progress,
          ...defined({ total, message }),
        });
      },
    });
  };

  const createServerOf2025 = (): ServerOf2025 => {
    const server = new ServerOf2025(INFO);
    server.registerTool(
      tool,
      { inputSchema: shape },
      async (args, { signal, _meta, sendNotification }) => ({
        ...(await run(args as RobotWork, {
          signal,
          progressToken: _meta?.progressToken,
          notify: (params) => sendNotification({ method: "notifications/progress", params }),
        })),
      }),
    );
    return server;
  };

  const readState = (taskId: string, job: Job) => ({
    taskId,
    createdAt: new Date().toISOString(),
    lastUpdatedAt: new Date().toISOString(),
    ttlMs: null,
    pollIntervalMs: poll,
    ...job,
  });

  function beginJob(args: RobotWork): never {
    calls.push(args);
    const id = `job-${calls.length}`;
    jobs.set(id, { status: "working" });
    return { resultType: "task", ...readState(id, { status: "working" }) } as never;
  }

  function serveJobs({ server }: ServerOf2026): void {
    server.registerCapabilities({ extensions: { [TASKS]: {} } });
    const getKnown = (taskId: string): Job => {
      const job = jobs.get(taskId);
      if (!job) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "no such task");
      return job;
    };
    server.setRequestHandler("tasks/get", { params: byId }, async ({ taskId }) => ({
      resultType: "complete",
      ...readState(taskId, getKnown(taskId)),
    }));
    server.setRequestHandler("tasks/cancel", { params: byId }, async ({ taskId }) => {
      getKnown(taskId);
      jobs.set(taskId, { status: "cancelled" });
      return { resultType: "complete" };
    });
  }

  const of2026 = createMcpHandler(
    () => {
      const server = new ServerOf2026(INFO);
      if (poll !== undefined) serveJobs(server);
      server.registerTool(tool, { inputSchema: z.object(shape) }, async (args, { mcpReq }) => {
        const { _meta: meta, signal } = mcpReq;
        if (poll !== undefined && JSON.stringify(mcpReq.envelope).includes(TASKS))
          return beginJob(args);
        const done = await run(args, {
          signal,
          progressToken: meta?.progressToken,
          notify: (params) => mcpReq.notify({ method: "notifications/progress", params }),
        });
        return { ...done };
      });
      return server;
    },
    { legacy: "reject" },
  );

  async function handle(request: Request): Promise<Response> {
    if (token !== undefined && request.headers.get("Authorization") !== `Bearer ${token}`)
      return new Response("who are you?", { status: 401 });
    if (era === "modern") return await of2026.fetch(request);
    if (era === "json") {
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await createServerOf2025().connect(transport);
      return await transport.handleRequest(request);
    }
    const known = sessions.get(request.headers.get("Mcp-Session-Id") ?? "");
    if (known) return await known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await createServerOf2025().connect(transport);
    return await transport.handleRequest(request);
  }

  return { handle, calls, sessions, jobs };
}
