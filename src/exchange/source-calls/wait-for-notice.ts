/** Waits for a message of which the owner must hear at once. The household's object hibernates in the meantime. */
import { isStillLive } from "../../auth/live-credential.ts";
import type { Principal } from "../../auth/principal.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { NoticeView } from "../../contracts/household-sources.ts";
import type { Outcome } from "../../mess/errors.ts";
import { getHouseholdStub } from "../../stubs.ts";
import { waitForSocket } from "../wait-for-socket.ts";
import { withWaitSlot } from "../wait-slots.ts";
import type { ExchangeBindings } from "../with-thread.ts";

/** Notices of one answer. */
const MAX_NOTICES = 20;

export interface ReceivedNotices {
  notices: NoticeView[];
  /** For the next call. The same cursor gives the same notices again. */
  cursor: number;
}

/**
 * Returns the NOTIFY notices after the cursor as soon as there are any, or none after `timeout` milliseconds. Without a
 * cursor, waits for the next notice.
 */
export const waitForNotice = (
  env: ExchangeBindings,
  principal: Principal,
  cursor: number | undefined,
  timeout: number,
  signal?: AbortSignal,
): Promise<Outcome<ReceivedNotices>> =>
  withWaitSlot(env, principal, () => receiveNotices(env, principal, cursor, timeout, signal));

/** The same, for a caller that has taken its slot already. */
export async function receiveNotices(
  env: ExchangeBindings,
  principal: Principal,
  cursor: number | undefined,
  timeout: number,
  signal?: AbortSignal,
): Promise<Outcome<ReceivedNotices>> {
  const household = getHouseholdStub(env, principal.household);
  const start = cursor ?? Number.MAX_SAFE_INTEGER;
  const first = await household.sources.listNotices(principal, start, MAX_NOTICES);
  if (!first.ok || first.value.notices.length > 0 || timeout <= 0) return first;
  const after = first.value.cursor;
  const query = new URLSearchParams({ viewer: JSON.stringify(principal), after: String(after) });
  const response = await household.fetch(
    new Request(`https://household/notices?${query.toString()}`, {
      headers: { Upgrade: "websocket" },
    }),
  );
  const socket = response.webSocket;
  if (!socket) return refuseUnauthenticated();
  socket.accept();
  await waitForSocket(socket, timeout, signal);
  if (!(await isStillLive(env, principal))) return refuseUnauthenticated();
  return await household.sources.listNotices(principal, after, MAX_NOTICES);
}
