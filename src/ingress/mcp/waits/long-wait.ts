/** How long a wait may take, which depends on the client, and its reports of progress. */
import type { ServerContext } from "@modelcontextprotocol/server";
import { createProgressReporter, PROGRESS_INTERVAL_MS } from "../requests/wait-for-answer.ts";
import type { ToolContext } from "../tool.ts";
import { MAX_WAIT_SECONDS } from "../../../mess/wait-limits.ts";

const hasProgressToken = ({ mcpReq: { _meta } }: ServerContext): boolean =>
  _meta?.progressToken !== undefined;

/** @returns the seconds that the call may wait, or that the client gets a task instead */
export function planWait(
  { mcp, takesTasks }: Pick<ToolContext, "mcp" | "takesTasks">,
  timeout = MAX_WAIT_SECONDS,
): { seconds: number } | "task" {
  if (hasProgressToken(mcp)) return { seconds: timeout };
  return timeout > MAX_WAIT_SECONDS && takesTasks
    ? "task"
    : { seconds: Math.min(timeout, MAX_WAIT_SECONDS) };
}

/** One long wait, since several short ones would cost its object a request each. */
export async function waitWithProgress<T>(
  mcp: ServerContext,
  seconds: number,
  wait: (timeout: number, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const report = createProgressReporter(mcp, seconds);
  const reportWaiting = () => void report("waiting for messages").catch(() => undefined);
  reportWaiting();
  const timer = setInterval(reportWaiting, PROGRESS_INTERVAL_MS);
  try {
    return await wait(seconds * 1_000, mcp.mcpReq.signal);
  } finally {
    clearInterval(timer);
  }
}
