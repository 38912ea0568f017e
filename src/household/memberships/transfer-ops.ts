/** Hands the role of the primary ops to another member: the primary offers it, and the receiver accepts it. */
import type { Transfer, TransferInput } from "../../contracts/household-groups.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import {
  refuseGroupClosed,
  refuseGroupNotFound,
  refuseUnknownMember,
} from "../../mess/groups/refusals.ts";
import { isPoolId } from "../../mess/groups/vocabulary.ts";
import { toOneLine } from "../../mess/one-line.ts";
import { ok } from "../../mess/result.ts";
import type { Stores } from "../stores.ts";
import type { GroupPrincipal } from "./group-callers.ts";
import { createId, postToGroup, syncGroup } from "./group-jobs.ts";
import { hasMemberId, type StoredGroupMember } from "./group-member-store.ts";
import { type Handoff, OFFER_LIFETIME_MS, type StoredGroup } from "./group-catalog.ts";

interface Handover {
  group: StoredGroup;
  from: StoredGroupMember;
  to: StoredGroupMember;
  /** The last handoff of the group, unless it was an offer that has ended. */
  last: Handoff | undefined;
}

export function transferOps(
  stores: Stores,
  caller: GroupPrincipal,
  input: TransferInput,
  now: number,
): Outcome<Transfer> {
  const found = findHandover(stores, caller, input, now);
  if (!found.ok) return found;
  const handover = found.value;
  const { from, to, last } = handover;
  const isSamePair = last?.from === from.key && last.to === to.key;
  const isSender = from.credential === caller.credential;
  const isReceiver = to.credential === caller.credential;
  if (isSamePair && last.state === "accepted") return ok(toAccepted(handover));
  if (isSamePair && isAcceptance(input, isSender, isReceiver)) return accept(stores, handover, now);
  if (!isSender)
    return refuse(
      "not_found",
      "no handoff is offered to you with these ids",
      "Ask the primary ops to offer it with transfer_ops.",
    );
  if (handover.group.primary !== from.key)
    return refuse(
      "wrong_role",
      "from_ops_id: only the primary ops can hand over the group",
      "Ask the primary ops: the first in the list of ops that join returns.",
    );
  if (isSamePair && input.verification_passed === false) return withdraw(stores, handover, now);
  return offer(stores, handover, input, now);
}

/**
 * Two agents that share one key are told apart by the summary, which every offer has: the call without it is the
 * receiver's.
 */
const isAcceptance = (
  { context_summary, verification_passed }: TransferInput,
  isSender: boolean,
  isReceiver: boolean,
): boolean =>
  isReceiver && verification_passed !== false && (!isSender || context_summary === undefined);

function findHandover(
  stores: Stores,
  { credential }: GroupPrincipal,
  { group_id, from_ops_id, to_agent_id }: TransferInput,
  now: number,
): Outcome<Handover> {
  const own = stores.groupMembers
    .listOfCredential(credential)
    .filter(({ group }) => !isPoolId(group) && (group_id === undefined || group === group_id));
  if (own.length === 0) return refuseGroupNotFound();
  const places = own
    .filter((member) => hasMemberId(member, from_ops_id) || hasMemberId(member, to_agent_id))
    .map((member) => stores.groups.find(member.group)!);
  if (places.length === 0) return refuseUnknownMember("from_ops_id");
  // An agent of a pool has the same id in all its groups, the ops have not.
  const group =
    places.find(({ id }) =>
      stores.groupMembers.list(id).some((member) => hasMemberId(member, from_ops_id)),
    ) ?? places[0]!;
  if (group.status === "closed") return refuseGroupClosed();
  const members = stores.groupMembers.list(group.id).filter(({ active }) => active);
  const from = members.find((member) => hasMemberId(member, from_ops_id));
  const to = members.find((member) => hasMemberId(member, to_agent_id));
  if (!from || !to || from.key === to.key)
    return refuse(
      "unknown_member",
      `${from ? "to_agent_id" : "from_ops_id"}: no ${from ? "other " : ""}member of this group has this id`,
      "Give the ids of two members of the group.",
      { valid: members.filter(({ key }) => key !== from?.key).map(({ id }) => id) },
    );
  return ok({ group, from, to, last: findLast(group, members, now) });
}

/** An open offer ends after a day, and when its receiver is removed. */
function findLast(
  { handoff }: StoredGroup,
  members: readonly StoredGroupMember[],
  now: number,
): Handoff | undefined {
  if (handoff?.state !== "offered") return handoff;
  const isOpen =
    handoff.at + OFFER_LIFETIME_MS > now && members.some(({ key }) => key === handoff.to);
  return isOpen ? handoff : undefined;
}

function offer(
  stores: Stores,
  { group, from, to, last }: Handover,
  { context_summary, verification_passed }: TransferInput,
  now: number,
): Outcome<Transfer> {
  if (verification_passed !== true)
    return refuse(
      "bad_parameter",
      "verification_passed: the receiver must first show that it understands the work",
      "Send it a verification with your questions, check its answers, and call again with verification_passed: true.",
      { path: "verification_passed" },
    );
  if (last?.state === "offered" && last.to !== to.key)
    return refuse(
      "handoff_pending",
      "the group is offered to another member",
      "Wait until it accepts, or withdraw the offer: the same call with verification_passed: false.",
      { valid: [stores.groupMembers.find(group.id, last.to)!.id] },
    );
  if (context_summary === undefined)
    return refuse(
      "missing_field",
      "context_summary is missing",
      "Say what the group works on, what is done, and what comes next.",
      { path: "context_summary" },
    );
  const next = `${to.id} must accept: it calls transfer_ops with the same ids.`;
  const offered = ok({ state: "offered" as const, group_id: group.id, next });
  if (last?.state === "offered") return offered;
  stores.groups.setHandoff(group.id, {
    from: from.key,
    to: to.key,
    state: "offered",
    at: now,
  });
  syncGroup(stores, group.id, now);
  post(
    stores,
    group.id,
    { from: from.id, to: to.id, type: "verification" },
    [
      `${toOneLine(from.name)} (${from.id}) offers you the role of the primary ops of this group.`,
      `To accept, call transfer_ops with group_id ${group.id}, from_ops_id ${from.id} and to_agent_id ${to.id}, without context_summary. The offer ends in 24 hours.`,
      `Summary: ${context_summary}`,
    ],
    now,
  );
  return offered;
}

function accept(stores: Stores, handover: Handover, now: number): Outcome<Transfer> {
  const { group, from, to, last } = handover;
  const id = to.role === "ops" ? to.id : createId("o");
  if (to.role !== "ops") stores.groupMembers.promote(group.id, to.key, id);
  stores.groups.setPrimary(group.id, to.key);
  stores.groups.setHandoff(group.id, { ...last!, state: "accepted", at: now });
  syncGroup(stores, group.id, now);
  post(
    stores,
    group.id,
    { from: id, to: from.id, type: "message" },
    [
      `${toOneLine(to.name)} has accepted the handoff and is the primary ops now, with the id ${id}.`,
      "Open tasks were handed over. You stay ops of the group.",
    ],
    now,
  );
  return ok(toAccepted({ ...handover, to: { ...to, id } }));
}

const toAccepted = ({ group, to }: Handover): Transfer => ({
  state: "accepted",
  group_id: group.id,
  new_ops_id: to.id,
  next: `${to.id} is the primary ops, and reports of open tasks go to it.`,
});

function withdraw(stores: Stores, { group, from, to }: Handover, now: number): Outcome<Transfer> {
  stores.groups.setHandoff(group.id, undefined);
  syncGroup(stores, group.id, now);
  post(
    stores,
    group.id,
    { from: from.id, to: to.id, type: "message" },
    [
      `${toOneLine(from.name)} (${from.id}) has withdrawn the offer of the role of the primary ops.`,
    ],
    now,
  );
  const next = "The group can be offered again with transfer_ops.";
  return ok({ state: "withdrawn", group_id: group.id, next });
}

function post(
  stores: Stores,
  group: string,
  header: { from: string; to: string; type: "message" | "verification" },
  lines: readonly string[],
  now: number,
): void {
  const content = lines.join("\n");
  postToGroup(stores, group, { ...header, id: createId("msg"), importance: "high", content }, now);
}
