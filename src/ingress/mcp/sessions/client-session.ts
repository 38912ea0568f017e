/** A session of a client of the 2025 revisions, as the transport and the server use it. */
import type { McpSessionChange, McpSessionState } from "../../../contracts/mcp-sessions.ts";
import type { Outcome } from "../../../mess/errors.ts";
import type { SessionFacts } from "./session-id.ts";

export interface ClientSession extends SessionFacts {
  read(): Promise<McpSessionState>;
  update(change: McpSessionChange): Promise<Outcome<McpSessionState>>;
  /** Hands over the client's response to a request of the server; false if no call waits for it. */
  deliverResponse(request: string, response: string): Promise<boolean>;
  /**
   * Registers for the response to a request, which the client may send to another isolate. Call it before the request
   * is sent. Calls `onEnd` if no response can come any more. False if it cannot wait.
   */
  expectResponse(
    request: string,
    onResponse: (response: string) => void,
    onEnd: () => void,
    signal: AbortSignal,
  ): Promise<boolean>;
  /** Calls `onState` with the state, at once and after each change. False if there are too many streams. */
  watch(
    onState: (state: McpSessionState) => void,
    onEnd: () => void,
    signal: AbortSignal,
  ): Promise<boolean>;
}
