/** Keeps the state of MCP sessions, and hands over the responses of their clients. */
import type {
  McpSessionChange,
  McpSessionKey,
  McpSessionsRpc,
  McpSessionState,
} from "../../contracts/mcp-sessions.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { isLive } from "../identity/end-access.ts";
import { type HouseholdContext, refuseNoHousehold } from "../household-context.ts";
import { closeStreams, deliverResponse, notifyStreams } from "./session-sockets.ts";

/** Resources to which one session may be subscribed. */
const MAX_SUBSCRIPTIONS = 64;

const EMPTY: McpSessionState = { uris: [] };

export class McpSessionsFacet implements McpSessionsRpc {
  readonly #context: HouseholdContext;
  readonly #ctx: DurableObjectState;

  constructor(context: HouseholdContext, ctx: DurableObjectState) {
    this.#context = context;
    this.#ctx = ctx;
  }

  async read(key: McpSessionKey): Promise<McpSessionState> {
    return this.#context.openStores()?.mcpSessions.read(key, Date.now()) ?? EMPTY;
  }

  async update(key: McpSessionKey, change: McpSessionChange): Promise<Outcome<McpSessionState>> {
    const outcome = this.#context.transact((stores, now): Outcome<McpSessionState> => {
      // The caller's isolate may still cache a revoked credential.
      if (!isLive(stores, key.credential, now)) return refuseNoHousehold();
      if ("end" in change) {
        stores.mcpSessions.delete(key);
        return ok(EMPTY);
      }
      const changed = applyChange(stores.mcpSessions.read(key, now), change);
      if (changed.ok) stores.mcpSessions.write(key, changed.value, now);
      return changed;
    });
    if (!outcome.ok) return outcome;
    if ("end" in change) closeStreams(this.#ctx, key);
    else notifyStreams(this.#ctx, key, outcome.value);
    return outcome;
  }

  async deliverResponse(key: McpSessionKey, request: string, response: string): Promise<boolean> {
    return deliverResponse(this.#ctx, key, request, response);
  }
}

function applyChange(
  state: McpSessionState,
  change: Exclude<McpSessionChange, { end: true }>,
): Outcome<McpSessionState> {
  if ("level" in change) return ok({ ...state, level: change.level });
  const uri = "subscribe" in change ? change.subscribe : change.unsubscribe;
  const others = state.uris.filter((one) => one !== uri);
  if ("unsubscribe" in change) return ok({ ...state, uris: others });
  if (others.length >= MAX_SUBSCRIPTIONS)
    return refuse(
      "too_many",
      `the session is subscribed to ${MAX_SUBSCRIPTIONS} resources`,
      "Unsubscribe from one first, or subscribe to mess://pending.",
    );
  return ok({ ...state, uris: [...others, uri] });
}
