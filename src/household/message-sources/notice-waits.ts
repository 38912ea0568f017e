/** WebSockets of callers that wait for a NOTIFY notice. They hibernate with the household's object. */
import type { CredentialId, Principal } from "../../auth/principal.ts";
import { acceptWaiter, closeWaiter, listWaiters, sendToWaiter } from "../../object/waiters.ts";
import type { Stores } from "../stores.ts";
import { canAccess, checkSourceCaller } from "./source-access.ts";
import { listReadableNotices } from "./read-notices.ts";

const NOTICE_TAG = "notices";
const MAX_WAITS_PER_CREDENTIAL = 64;
const TOO_MANY_CODE = 1_013;
const CREDENTIAL_ENDED_CODE = 4_401;

/**
 * `/notices?viewer={principal}&after={seq}`: a socket that is closed after the next notice that the viewer may see.
 * @param onWait called where no notice has come yet, with a check of the sources that the viewer may read
 */
export function acceptNoticeWait(
  ctx: DurableObjectState,
  stores: Stores,
  request: Request,
  now: number,
  onWait: (isAwaited: (source: string) => boolean) => void,
): Response {
  const query = new URL(request.url).searchParams;
  const viewer = JSON.parse(query.get("viewer") ?? "null") as Principal | null;
  if (viewer?.household !== stores.settings.getHousehold().id)
    return new Response(null, { status: 404 });
  if (!checkSourceCaller(stores, viewer, now).ok) return new Response(null, { status: 401 });
  const own = listWaits(ctx).filter((one) => one.viewer.credential === viewer.credential);
  for (const { socket } of own.slice(0, Math.max(0, own.length + 1 - MAX_WAITS_PER_CREDENTIAL)))
    closeWaiter(socket, TOO_MANY_CODE, "too many");
  const { socket, response } = acceptWaiter(ctx, NOTICE_TAG, viewer);
  // A notice may have come between the caller's look and this socket.
  const [first] = listReadableNotices(stores, viewer, Number(query.get("after")), 1);
  if (first) wake(socket, first.seq);
  else onWait((source) => canAccess(viewer, source, "read"));
  return response;
}

const listWaits = (ctx: DurableObjectState) =>
  listWaiters(ctx, NOTICE_TAG).map(({ socket, viewer }) => ({
    socket,
    viewer: viewer as Principal,
  }));

/** Wakes the waits of those who may read the source. */
export function wakeNoticeWaits(ctx: DurableObjectState, source: string, seq: number): void {
  for (const { socket, viewer } of listWaits(ctx))
    if (canAccess(viewer, source, "read")) wake(socket, seq);
}

/** Closes the sockets whose credential has ended. */
export function closeNoticeWaits(
  ctx: DurableObjectState,
  isLive: (credential: CredentialId) => boolean,
): void {
  for (const { socket, viewer } of listWaits(ctx))
    if (viewer.credential === undefined || !isLive(viewer.credential))
      closeWaiter(socket, CREDENTIAL_ENDED_CODE, "credential ended");
}

function wake(socket: WebSocket, seq: number): void {
  sendToWaiter(socket, String(seq));
  closeWaiter(socket, 1_000, "notice");
}
