/** The hibernating sockets of a group: those of members that wait for a message, and of dashboards. */
import type { GroupStore } from "../tables/group-store.ts";
import type { StoredMessage } from "../tables/message-table.ts";
import type { Sockets } from "./close-sockets.ts";
import { acceptWait, applyRecordToWaits, wakeWaits } from "./wait-sockets.ts";
import { acceptWatch, applyRecordToWatches, showToWatches } from "./watch-sockets.ts";

/** `/wait` or `/watch`. */
export function acceptGroupSocket(ctx: Sockets, store: GroupStore, request: Request): Response {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === "/wait") return acceptWait(ctx, store, searchParams);
  if (pathname === "/watch") return acceptWatch(ctx, store, searchParams);
  return new Response(null, { status: 404 });
}

/** Wakes the waits of the receiver, and shows the message to those who watch its channel. */
export function announceMessage(ctx: Sockets, store: GroupStore, message: StoredMessage): void {
  wakeWaits(ctx, store, message);
  showToWatches(ctx, store, message);
}

/** Closes the sockets of members that have left, or whose credential was replaced or has ended; ends all waits in a closed group. */
export function applyRecord(ctx: Sockets, store: GroupStore): void {
  applyRecordToWaits(ctx, store);
  applyRecordToWatches(ctx, store);
}
