/** Keeps sessions in the object of the caller's first household, under the credential of the caller. */
import type { McpSessionState } from "../../../contracts/mcp-sessions.ts";
import { openHouseholdSocket } from "../../../exchange/household-socket.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import { getHouseholdStub } from "../../../stubs.ts";
import type { McpCaller } from "../caller.ts";
import type { ClientSession } from "./client-session.ts";
import type { SessionFacts } from "./session-id.ts";

const PATH = "/mcp-session";

/** Undefined for a caller without a credential of its own, which has no sessions. */
export function createHouseholdSession(
  env: ExchangeBindings,
  { principals: [principal] }: McpCaller,
  facts: SessionFacts,
): ClientSession | undefined {
  const { household, credential } = principal;
  if (credential === undefined) return undefined;
  const session = facts.id;
  const key = { credential, session };
  const { mcpSessions } = getHouseholdStub(env, household);
  return {
    ...facts,
    read: () => mcpSessions.read(key),
    update: (change) => mcpSessions.update(key, change),
    deliverResponse: (request, response) => mcpSessions.deliverResponse(key, request, response),
    expectResponse: (request, onMessage, onEnd, signal) => {
      const address = { path: PATH, query: { session, request } };
      return openHouseholdSocket(env, principal, address, { onMessage, onEnd }, signal);
    },
    watch: (onState, onEnd, signal) => {
      const onMessage = (text: string) => onState(JSON.parse(text) as McpSessionState);
      const address = { path: PATH, query: { session } };
      return openHouseholdSocket(env, principal, address, { onMessage, onEnd }, signal);
    },
  };
}
