/** RPC surface of the household for the sessions of MCP clients of the 2025 revisions. Types only. */
import type { CredentialId } from "../auth/principal.ts";
import type { Outcome } from "../mess/errors.ts";

/** A session belongs to the credential that made it: another credential cannot reach it. */
export interface McpSessionKey {
  credential: CredentialId;
  session: string;
}

/** The state of a session, which is also sent to its open streams when it changes. */
export interface McpSessionState {
  /** The level set by `logging/setLevel`; absent before that. */
  level?: string;
  /** URIs of the subscribed resources. */
  uris: string[];
}

export type McpSessionChange =
  | { level: string }
  | { subscribe: string }
  | { unsubscribe: string }
  | { end: true };

export interface McpSessionsRpc {
  read(key: McpSessionKey): Promise<McpSessionState>;
  update(key: McpSessionKey, change: McpSessionChange): Promise<Outcome<McpSessionState>>;
  /**
   * Hands the client's response to the call that waits for it.
   * @param request id of the server's request
   * @param response a JSON-RPC message
   * @returns false where no call waits for it
   */
  deliverResponse(key: McpSessionKey, request: string, response: string): Promise<boolean>;
}
