/**
 * Change notifications over hibernating WebSockets. Each socket belongs to one member and sees what that member may
 * see.
 */
import type { CredentialId, Principal, Role } from "../../auth/principal.ts";
import { ROLES } from "../../auth/principal.ts";
import { acceptWaiter, closeWaiter, listWaiters, sendToWaiter } from "../../object/waiters.ts";
import type { ThreadSummary } from "../../contracts/thread.ts";
import type { ThreadChange } from "../../contracts/events.ts";

const LISTENER_TAG = "changes";

/** Sockets of one credential; a further one closes the oldest. */
const MAX_LISTENERS_PER_CREDENTIAL = 64;
const TOO_MANY_CLOSE_CODE = 1_013;

interface Listener extends Pick<Principal, "actor" | "role"> {
  /** The socket is closed when this credential ends. */
  credential: CredentialId;
}

type IsLive = (credential: CredentialId) => boolean;

/** Accepts a socket if its credential is active. The caller's isolate may still cache a revoked credential. */
export function acceptListener(
  ctx: DurableObjectState,
  request: Request,
  isLive: IsLive,
): Response {
  const query = new URL(request.url).searchParams;
  const actor = query.get("actor");
  const role = ROLES.find((one) => one === query.get("role"));
  if (actor === null || !role) return new Response(null, { status: 400 });
  const credential = query.get("credential") as CredentialId | null;
  if (credential === null || !isLive(credential)) return new Response(null, { status: 401 });
  const own = listWaiters(ctx, LISTENER_TAG).filter(
    ({ viewer }) => (viewer as Listener).credential === credential,
  );
  for (const { socket } of own.slice(0, Math.max(0, own.length + 1 - MAX_LISTENERS_PER_CREDENTIAL)))
    closeWaiter(socket, TOO_MANY_CLOSE_CODE, "too many");
  return acceptWaiter(ctx, LISTENER_TAG, { actor, role, credential } satisfies Listener).response;
}

/** Closes the sockets whose credential has ended: a revoked key or grant, or a signed-out session. */
export function closeListeners(ctx: DurableObjectState, isLive: IsLive): void {
  for (const { socket, viewer } of listWaiters(ctx, LISTENER_TAG)) {
    if (!isLive((viewer as Listener).credential)) closeWaiter(socket, 4_401, "credential ended");
  }
}

/** Notifies the listeners that may see the thread that it has changed. */
export function notifyListeners(
  ctx: DurableObjectState,
  summary: ThreadSummary,
  mayRead: (role: Role) => boolean,
): void {
  const { ref, client_id, status, participants } = summary;
  const change: ThreadChange = { ref, client_id, status };
  for (const { socket, viewer } of listWaiters(ctx, LISTENER_TAG)) {
    const { actor, role } = viewer as Listener;
    if (!participants.includes(actor) && !mayRead(role)) continue;
    sendToWaiter(socket, JSON.stringify(change));
  }
}
