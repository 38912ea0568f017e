/** Closes sockets of which a member or viewer has too many, or whose credential has ended. */
import { closeWaiter } from "../../object/waiters.ts";

export type Sockets = Pick<DurableObjectState, "acceptWebSocket" | "getWebSockets">;

/** Waits of one member, or dashboards of one viewer; a further one closes the oldest. */
const MAX_SOCKETS_PER_MEMBER = 8;
const CREDENTIAL_ENDED_CODE = 4_401;
const TOO_MANY_CODE = 1_013;

/** Makes room for one more. */
export function closeOldest(sockets: readonly { socket: WebSocket }[]): void {
  const surplus = Math.max(0, sockets.length + 1 - MAX_SOCKETS_PER_MEMBER);
  for (const { socket } of sockets.slice(0, surplus))
    closeWaiter(socket, TOO_MANY_CODE, "too many");
}

export const closeEnded = (socket: WebSocket, reason: string): void =>
  closeWaiter(socket, CREDENTIAL_ENDED_CODE, reason);
