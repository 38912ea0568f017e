/** The calls of AI groups that concern one group only. Those about memberships and pools go to the household's facet. */
import type { Principal } from "../../auth/principal.ts";
import type {
  GroupPage,
  GroupStatusView,
  NewGroupMessage,
  PendingSummary,
  ReadQuery,
  SentGroupMessage,
} from "../../contracts/groups.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { lookUpReceiver } from "./look-up-receiver.ts";
import { type MembershipIds, withGroup } from "./with-group.ts";

export const sendGroupMessage = (
  env: ExchangeBindings,
  principal: Principal,
  ids: MembershipIds,
  message: NewGroupMessage,
): Promise<Outcome<SentGroupMessage>> =>
  withGroup(env, principal, ids, async ({ group, caller }) =>
    group.send(caller, message, await lookUpReceiver(env, principal, message.to)),
  );

export const readGroupMessages = (
  env: ExchangeBindings,
  principal: Principal,
  ids: MembershipIds,
  query: ReadQuery,
): Promise<Outcome<GroupPage>> =>
  withGroup(env, principal, ids, ({ group, caller }) => group.read(caller, query));

export const markGroupMessages = (
  env: ExchangeBindings,
  principal: Principal,
  ids: MembershipIds,
  which: { other?: string; message?: string },
): Promise<Outcome<{ marked: number; total_pending: number }>> =>
  withGroup(env, principal, ids, ({ group, caller }) => group.markRead(caller, which));

export const countPending = (
  env: ExchangeBindings,
  principal: Principal,
  ids: MembershipIds,
): Promise<Outcome<PendingSummary>> =>
  withGroup(env, principal, ids, ({ group, caller }) => group.pending(caller));

export const readGroupStatus = (
  env: ExchangeBindings,
  principal: Principal,
  ids: MembershipIds,
): Promise<Outcome<GroupStatusView>> =>
  withGroup(env, principal, ids, ({ group, caller }) => group.status(caller));

/** Records a sign of life of the member in the group or pool. */
export const sendHeartbeat = (
  env: ExchangeBindings,
  principal: Principal,
  ids: MembershipIds,
): Promise<Outcome<{ at: string }>> =>
  withGroup(env, principal, ids, ({ group, caller }) => group.heartbeat(caller));
