/** Responses of clients of the 2025 revisions to requests of the server. */
import { isMap } from "../../../mess/json.ts";
import type { ClientSession } from "./client-session.ts";

/** Maximum characters of a response to a question. */
const MAX_RESPONSE_CHARS = 64_000;

export const buildSessionError = (status: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", id: null, error: { code: -32_001, message } }, { status });

export const isClientResponse = (message: unknown): message is { id?: unknown } =>
  isMap(message) && !("method" in message) && ("result" in message || "error" in message);

export async function acceptClientResponse(
  session: ClientSession,
  message: { id?: unknown },
): Promise<Response> {
  const text = JSON.stringify(message);
  const isKnown =
    typeof message.id === "string" &&
    text.length <= MAX_RESPONSE_CHARS &&
    (await session.deliverResponse(message.id, text));
  return isKnown
    ? new Response(null, { status: 202 })
    : buildSessionError(400, "no call waits for this response");
}
