/** Waits for messages of an AI group. The group's object hibernates in the meantime. */
import { isStillLive } from "../../auth/live-credential.ts";
import type { Principal } from "../../auth/principal.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { ReceivedMessages } from "../../contracts/groups.ts";
import type { Outcome } from "../../mess/errors.ts";
import { refuseGroupNotFound, refuseWaitCursor } from "../../mess/groups/refusals.ts";
import { formatWaitCursor, isCursorOf, parseWaitCursor } from "../../mess/groups/wait-cursor.ts";
import { ok } from "../../mess/result.ts";
import { waitForSocket } from "../wait-for-socket.ts";
import { withWaitSlot } from "../wait-slots.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { type FoundGroup, type MembershipIds, withGroup } from "./with-group.ts";

/** Messages, and the cursor for the next wait of the same member in the same group. */
export interface WaitResult extends Omit<ReceivedMessages, "cursor" | "member"> {
  cursor: string;
}

async function receive(
  { group, caller, id }: FoundGroup,
  cursor: string | undefined,
  wait?: string,
): Promise<Outcome<WaitResult>> {
  const given = cursor === undefined ? undefined : parseWaitCursor(cursor);
  if (cursor !== undefined && !given) return refuseWaitCursor();
  const received = await group.receive(caller, given?.position, wait);
  if (!received.ok) return received;
  const { cursor: position, member, ...rest } = received.value;
  const owner = { group: id, member };
  if (given && !isCursorOf(given, owner)) return refuseWaitCursor();
  return ok({ ...rest, cursor: formatWaitCursor(position, owner) });
}

/**
 * Returns the messages after the cursor as soon as there are any, or none after `timeout` milliseconds. Without a
 * cursor, waits for messages after those that the last such call returned. Read cursors stay as they are.
 */
export const waitForGroupMessages = (
  env: ExchangeBindings,
  principal: Principal,
  ids: MembershipIds,
  cursor: string | undefined,
  timeout: number,
  signal?: AbortSignal,
): Promise<Outcome<WaitResult>> =>
  withWaitSlot(env, principal, () =>
    withGroup(env, principal, ids, async (found) => {
      const { group, caller } = found;
      const first = await receive(found, cursor);
      if (!first.ok || first.value.messages.length > 0 || timeout <= 0) return first;
      const query = new URLSearchParams({
        credential: principal.credential ?? "",
        after: String(parseWaitCursor(first.value.cursor)?.position),
        ...(caller.as === undefined ? {} : { as: caller.as }),
      });
      const response = await group.fetch(
        new Request(`https://group/wait?${query.toString()}`, {
          headers: { Upgrade: "websocket" },
        }),
      );
      const socket = response.webSocket;
      if (!socket) return refuseGroupNotFound();
      socket.accept();
      await waitForSocket(socket, timeout, signal);
      if (!(await isStillLive(env, principal))) return refuseUnauthenticated();
      return await receive(found, cursor);
    }),
  );

/** Messages that have arrived during a wait that the client polls as a task. */
export const readGroupWait = (
  env: ExchangeBindings,
  principal: Principal,
  ids: MembershipIds,
  wait: string,
  cursor: string | undefined,
): Promise<Outcome<WaitResult>> =>
  withGroup(env, principal, ids, (found) => receive(found, cursor, wait));

export const cancelGroupWait = (
  env: ExchangeBindings,
  principal: Principal,
  ids: MembershipIds,
  wait: string,
): Promise<Outcome<true>> =>
  withGroup(env, principal, ids, ({ group, caller }) => group.cancelWait(caller, wait));
