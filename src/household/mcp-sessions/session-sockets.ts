/**
 * The hibernating sockets of MCP sessions: each open stream has one, which gets the session's state, and each question
 * to a client has one, which gets the client's response. The Worker holds their other ends.
 */
import type { CredentialId } from "../../auth/principal.ts";
import type { McpSessionKey, McpSessionState } from "../../contracts/mcp-sessions.ts";
import { acceptWaiter, closeWaiter, listWaiters, sendToWaiter } from "../../object/waiters.ts";

const STREAM_TAG = "mcp-stream";
const RESPONSE_TAG = "mcp-response";

/** Streams and questions of one credential; a further one is refused. */
const MAX_SOCKETS_PER_CREDENTIAL = 64;
const CREDENTIAL_ENDED_CODE = 4_401;
const SESSION_ENDED_CODE = 4_404;

interface SessionViewer extends McpSessionKey {
  /** Id of the server's request; absent for a stream. */
  request?: string;
}

type IsLive = (credential: CredentialId) => boolean;

const listSockets = (
  ctx: DurableObjectState,
  tag: string,
): { socket: WebSocket; viewer: SessionViewer }[] =>
  listWaiters(ctx, tag).map(({ socket, viewer }) => ({ socket, viewer: viewer as SessionViewer }));

const isOfSession = (viewer: SessionViewer, { credential, session }: McpSessionKey): boolean =>
  viewer.credential === credential && viewer.session === session;

/** Accepts the socket of a stream or question, if its credential is active. */
export function acceptSessionSocket(
  ctx: DurableObjectState,
  request: Request,
  isLive: IsLive,
  openSession: (key: McpSessionKey) => McpSessionState,
): Response {
  const query = new URL(request.url).searchParams;
  const credential = query.get("credential") as CredentialId | null;
  const session = query.get("session");
  const question = query.get("request");
  if (session === null) return new Response(null, { status: 400 });
  if (credential === null || !isLive(credential)) return new Response(null, { status: 401 });
  const tag = question === null ? STREAM_TAG : RESPONSE_TAG;
  const own = listSockets(ctx, tag).filter(({ viewer }) => viewer.credential === credential);
  if (own.length >= MAX_SOCKETS_PER_CREDENTIAL) return new Response(null, { status: 429 });
  const key = { credential, session };
  const viewer: SessionViewer = question === null ? key : { ...key, request: question };
  const { socket, response } = acceptWaiter(ctx, tag, viewer);
  if (question === null) sendToWaiter(socket, JSON.stringify(openSession(key)));
  return response;
}

/** Sends the session's new state to its open streams. */
export function notifyStreams(
  ctx: DurableObjectState,
  key: McpSessionKey,
  state: McpSessionState,
): void {
  for (const { socket, viewer } of listSockets(ctx, STREAM_TAG))
    if (isOfSession(viewer, key)) sendToWaiter(socket, JSON.stringify(state));
}

/** Closes the streams of a session that its client has ended. */
export function closeStreams(ctx: DurableObjectState, key: McpSessionKey): void {
  for (const { socket, viewer } of listSockets(ctx, STREAM_TAG))
    if (isOfSession(viewer, key)) closeWaiter(socket, SESSION_ENDED_CODE, "session ended");
}

/** Hands a response to the one call that waits for it; false where there is none. */
export function deliverResponse(
  ctx: DurableObjectState,
  key: McpSessionKey,
  request: string,
  response: string,
): boolean {
  const found = listSockets(ctx, RESPONSE_TAG).find(
    ({ viewer }) => isOfSession(viewer, key) && viewer.request === request,
  );
  if (!found) return false;
  sendToWaiter(found.socket, response);
  closeWaiter(found.socket, 1_000, "answered");
  return true;
}

/** Closes the sockets whose credential has ended. */
export function closeEndedSessions(ctx: DurableObjectState, isLive: IsLive): void {
  for (const tag of [STREAM_TAG, RESPONSE_TAG])
    for (const { socket, viewer } of listSockets(ctx, tag))
      if (!isLive(viewer.credential))
        closeWaiter(socket, CREDENTIAL_ENDED_CODE, "credential ended");
}
