/**
 * Sends `notifications/message` on the stream of a call. A client of 2026-07-28 names its level in each request; a
 * client of the 2025 revisions has set it for its session. Without a level nothing is sent.
 */
import type { ServerContext } from "@modelcontextprotocol/server";
import type { ClientSession } from "./client-session.ts";

export const LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;
type Level = (typeof LEVELS)[number];

export type SendLog = (level: Level, data: Record<string, unknown>) => Promise<void>;

const LOGGER = "mess";

export function createLog({ mcpReq }: ServerContext, session: ClientSession | undefined): SendLog {
  if (mcpReq.envelope) return (level, data) => mcpReq.log(level, data, LOGGER);
  let threshold: Promise<number> | undefined;
  return async (level, data) => {
    if (!session) return;
    threshold ??= session.read().then(({ level: set }) => LEVELS.indexOf(set as Level));
    const least = await threshold;
    if (least < 0 || LEVELS.indexOf(level) < least) return;
    const params = { level, logger: LOGGER, data };
    await mcpReq.notify({ method: "notifications/message", params });
  };
}
