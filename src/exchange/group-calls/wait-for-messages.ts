/** Waits for messages of an AI group. The group's object hibernates in the meantime. */
import { isStillLive } from "../../auth/live-credential.ts";
import type { Principal } from "../../auth/principal.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { ReceivedMessages } from "../../contracts/groups.ts";
import type { Outcome } from "../../mess/errors.ts";
import { refuseGroupNotFound } from "../../mess/groups/refusals.ts";
import { waitForSocket } from "../wait-for-socket.ts";
import { withWaitSlot } from "../wait-slots.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { type MembershipIds, withGroup } from "./with-group.ts";

/**
 * Returns the messages after the cursor as soon as there are any, or none after `timeout` milliseconds. Without a
 * cursor, waits for messages after those that the last such call returned. Read cursors stay as they are.
 */
export const waitForGroupMessages = (
  env: ExchangeBindings,
  principal: Principal,
  ids: MembershipIds,
  cursor: number | undefined,
  timeout: number,
  signal?: AbortSignal,
): Promise<Outcome<ReceivedMessages>> =>
  withWaitSlot(env, principal, () =>
    withGroup(env, principal, ids, async ({ group, caller }) => {
      const first = await group.receive(caller, cursor);
      if (!first.ok || first.value.messages.length > 0 || timeout <= 0) return first;
      const query = new URLSearchParams({
        credential: principal.credential ?? "",
        after: String(first.value.cursor),
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
      return await group.receive(caller, cursor);
    }),
  );

/** What a wait that the client polls as a task has received until now. */
export const readGroupWait = (
  env: ExchangeBindings,
  principal: Principal,
  ids: MembershipIds,
  wait: string,
  cursor: number | undefined,
): Promise<Outcome<ReceivedMessages>> =>
  withGroup(env, principal, ids, ({ group, caller }) => group.receive(caller, cursor, wait));

export const cancelGroupWait = (
  env: ExchangeBindings,
  principal: Principal,
  ids: MembershipIds,
  wait: string,
): Promise<Outcome<true>> =>
  withGroup(env, principal, ids, ({ group, caller }) => group.cancelWait(caller, wait));
