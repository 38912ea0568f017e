/**
 * The wire protocol of the tasks extension (SEP-2663): a tool call may return a task, which the client then polls,
 * answers and cancels. The task source implements the tasks.
 */
import { defined } from "../../../mess/defined.ts";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequests,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { MessError, Outcome } from "../../../mess/errors.ts";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { formatError } from "../tool-errors.ts";

export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

interface TaskFields {
  taskId: string;
  statusMessage?: string;
  /** ISO 8601. */
  createdAt: string;
  lastUpdatedAt: string;
  /** Milliseconds; null means no limit. */
  ttlMs: number | null;
  pollIntervalMs?: number;
}

/** A task with the data of its status. */
export type McpTask = TaskFields &
  (
    | { status: "working" | "cancelled" }
    | { status: "input_required"; inputRequests: InputRequests }
    | { status: "completed"; result: Record<string, unknown> }
    | { status: "failed"; error: { code: number; message: string } }
  );

/** The response to a call that returns a task in place of a result: the task's state, without results. */
export type McpTaskHandle = TaskFields & { resultType: "task"; status: McpTask["status"] };

export interface TaskSource {
  /** Undefined if the task is unknown or belongs to another caller. */
  get(taskId: string, ctx: ServerContext): Promise<McpTask | undefined>;
  /** Accepts the responses with open keys and ignores the others; false for an unknown task. */
  update(
    taskId: string,
    responses: Record<string, unknown>,
    ctx: ServerContext,
  ): Promise<Outcome<boolean>>;
  /** Requests cancellation; false for an unknown task. */
  cancel(taskId: string, ctx: ServerContext): Promise<boolean>;
}

interface Capabilities {
  extensions?: Record<string, unknown>;
  elicitation?: unknown;
}

/** The capabilities that the client declared with this request. */
export function readCapabilities(ctx: ServerContext): Capabilities {
  const envelope: Record<string, unknown> = { ...ctx.mcpReq.envelope };
  return envelope[CLIENT_CAPABILITIES_META_KEY] ?? {};
}

export const supportsTasks = (ctx: ServerContext): boolean =>
  Object.hasOwn(readCapabilities(ctx).extensions ?? {}, TASKS_EXTENSION);

export const toHandle = (task: McpTask): McpTaskHandle => {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task;
  return {
    resultType: "task",
    taskId,
    status,
    ...defined({ statusMessage }),
    createdAt,
    lastUpdatedAt,
    ttlMs,
    ...defined({ pollIntervalMs }),
  };
};

const taskIdSchema = z.looseObject({ taskId: boundedTextSchema(260) });

/**
 * Declares the extension and serves its three methods. Unknown tasks and those of others get the same error -32602.
 */
export function serveTasks({ server }: McpServer, source: TaskSource): void {
  server.registerCapabilities({ extensions: { [TASKS_EXTENSION]: {} } });
  server.setRequestHandler("tasks/get", { params: taskIdSchema }, async ({ taskId }, ctx) => {
    requireExtension(ctx);
    const task = await source.get(taskId, ctx);
    return task ? { resultType: "complete", ...task } : throwTaskNotFound();
  });
  server.setRequestHandler("tasks/update", { params: taskIdSchema }, async ({ taskId }, ctx) => {
    requireExtension(ctx);
    // The SDK extracts the responses from the parameters, and leaves other values in place.
    const { inputResponses } = ctx.mcpReq;
    if (inputResponses === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        "inputResponses is missing: send a response for each key of inputRequests.",
      );
    const known = await source.update(taskId, inputResponses, ctx);
    if (!known.ok) throwRefusal(known.error);
    return known.value ? { resultType: "complete" } : throwTaskNotFound();
  });
  server.setRequestHandler("tasks/cancel", { params: taskIdSchema }, async ({ taskId }, ctx) => {
    requireExtension(ctx);
    return (await source.cancel(taskId, ctx)) ? { resultType: "complete" } : throwTaskNotFound();
  });
}

export function requireExtension(ctx: ServerContext): void {
  if (!supportsTasks(ctx)) throw buildMissingExtensionError();
}

const buildMissingExtensionError = () =>
  new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  });

/**
 * Builds the error for a client that subscribes to tasks without declaring the extension; the SDK checks neither. A
 * client that declares it gets no task notifications and polls: the notifications are optional.
 * @param body a parsed JSON-RPC message
 */
export function checkListen(body: unknown): object | undefined {
  const request = listenSchema.safeParse(body);
  if (!request.success || request.data.params.notifications.taskIds === undefined) return undefined;
  const { _meta: meta } = request.data.params;
  const { extensions = {} } = (meta[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Capabilities;
  if (Object.hasOwn(extensions, TASKS_EXTENSION)) return undefined;
  const { code, message, data } = buildMissingExtensionError();
  return { jsonrpc: "2.0", id: request.data.id, error: { code, message, data } };
}

const listenSchema = z.object({
  id: z.union([boundedTextSchema(1_024), z.number()]),
  method: z.literal("subscriptions/listen"),
  params: z.object({
    notifications: z.object({ taskIds: z.unknown() }),
    _meta: z.record(boundedTextSchema(LIMITS.keyChars), z.unknown()),
  }),
});

function throwRefusal(error: MessError): never {
  const { code, valid } = error;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    formatError(error, true),
    valid ? { code, valid } : { code },
  );
}

function throwTaskNotFound(): never {
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "Task not found. Use the taskId that a tool returned to you.",
  );
}
