/**
 * Serves `resources/subscribe`, `resources/unsubscribe` and `logging/setLevel`, which exist for clients of the 2025
 * revisions only.
 */
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { McpSessionChange } from "../../../contracts/mcp-sessions.ts";
import { readThread } from "../../../exchange/exchange.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import { type McpCaller, findInHouseholds } from "../caller.ts";
import { CHANGING_LISTS, findThreadOfUri, NOTICES_URI } from "../resources/changed-uris.ts";
import { formatError } from "../tool-errors.ts";
import type { Toolset } from "../toolset.ts";
import type { ClientSession } from "./client-session.ts";
import { LEVELS } from "./send-log.ts";

const levelSchema = z.looseObject({ level: z.enum(LEVELS) });

/** @param session undefined for a client that does not send the id that it got */
export function serveLogLevel({ server }: McpServer, session: ClientSession | undefined): void {
  // The SDK's own schema would report an invalid level as an internal error.
  server.setRequestHandler("logging/setLevel", { params: levelSchema }, ({ level }) =>
    updateSession(session, { level }),
  );
}

export function serveResourceSubscriptions(
  { server }: McpServer,
  env: ExchangeBindings,
  caller: McpCaller,
  session: ClientSession | undefined,
  toolset: Pick<Toolset, "offersRequests" | "offersMessages">,
): void {
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    await checkSubscribable(env, caller, uri, toolset);
    return await updateSession(session, { subscribe: uri });
  });
  server.setRequestHandler("resources/unsubscribe", ({ params }) =>
    updateSession(session, { unsubscribe: params.uri }),
  );
}

async function updateSession(
  session: ClientSession | undefined,
  change: McpSessionChange,
): Promise<Record<string, never>> {
  if (!session) throwInvalid("this needs a session: send the Mcp-Session-Id of initialize");
  const updated = await session.update(change);
  if (!updated.ok) throwInvalid(formatError(updated.error));
  return {};
}

/** Another household's thread is reported as a missing one. */
async function checkSubscribable(
  env: ExchangeBindings,
  caller: McpCaller,
  uri: string,
  { offersRequests, offersMessages }: Pick<Toolset, "offersRequests" | "offersMessages">,
): Promise<void> {
  if (offersMessages && uri === NOTICES_URI) return;
  if (offersRequests && CHANGING_LISTS.includes(uri)) return;
  const target = offersRequests ? findThreadOfUri(uri) : undefined;
  if (target === undefined) throw new ResourceNotFoundError(uri);
  const found = await findInHouseholds(caller, undefined, (principal) =>
    readThread(env, principal, target),
  );
  if (!found.ok) throw new ResourceNotFoundError(uri);
}

function throwInvalid(message: string): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
