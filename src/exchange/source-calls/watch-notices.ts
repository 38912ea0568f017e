/** Watches the notices of message sources that the caller may read. */
import type { Principal } from "../../auth/principal.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { receiveNotices } from "./wait-for-notice.ts";

/** Before the household is asked again, although nothing came. */
const RENEW_MS = 600_000;
/** A wait without notices that ends more than this before its time was ended by the household. */
const EARLY_END_MS = 1_000;

/**
 * Calls `onNotice` for every notice until the signal is aborted, and `onEnd` if the household ends the wait. Resolves
 * when the position is known, so that no later notice is missed. Does nothing for a caller without access.
 */
export async function watchNotices(
  env: ExchangeBindings,
  principal: Principal,
  onNotice: () => void,
  onEnd: () => void,
  signal: AbortSignal,
): Promise<void> {
  const first = await receiveNotices(env, principal, undefined, 0);
  if (first.ok) void follow(first.value.cursor).catch(onEnd);

  async function follow(start: number): Promise<void> {
    for (let cursor = start; !signal.aborted;) {
      const until = Date.now() + RENEW_MS;
      const received = await receiveNotices(env, principal, cursor, RENEW_MS, signal);
      if (signal.aborted) return;
      if (!received.ok) return onEnd();
      const isEmpty = received.value.notices.length === 0;
      // Too many waits of the credential: one that opened again at once would end another.
      if (isEmpty && until - Date.now() > EARLY_END_MS) return onEnd();
      if (!isEmpty) onNotice();
      cursor = received.value.cursor;
    }
  }
}
