/** Defects with which an agent acts under another's id, works twice on one task, or work is lost. */
import type { Mutant } from "../mutant.ts";

const MEMBERS = ["household/groups"];
const REPEATED = ["household/repeated-claims"];
const NEXT_STEPS = ["mcp/groups/next-steps"];
const POOL = ["household/groups-pool"];
const HANDOFF = ["household/groups-handoff"];
const RELIABILITY = ["household/groups-reliability"];
const ACCESS = ["household/groups-access"];

export const MEMBERSHIP_MUTANTS: readonly Mutant[] = [
  {
    name: "memberships: a member's other key takes over an id whose key is live",
    file: "src/household/memberships/group-callers.ts",
    find: "member.actor !== actor || isLive(stores, member.credential, now)",
    replace: "member.actor !== actor",
    tests: MEMBERS,
  },
  {
    name: "memberships: anybody takes over an id whose key has ended",
    file: "src/household/memberships/group-callers.ts",
    find: "member.actor !== actor || isLive(stores, member.credential, now)",
    replace: "isLive(stores, member.credential, now)",
    tests: MEMBERS,
  },
  {
    name: "memberships: a revoked key that an isolate still knows joins",
    file: "src/household/memberships/group-callers.ts",
    find: "if (!isLive(stores, credential, now)) return refuseUnauthenticated();",
    replace: "",
    tests: MEMBERS,
  },
  {
    name: "memberships: a link of a thread gives access to groups",
    file: "src/household/memberships/group-callers.ts",
    find: "if (scope || credential === undefined)",
    replace: "if (credential === undefined && !scope)",
    tests: MEMBERS,
  },
  {
    name: "memberships: an executor joins as ops",
    file: "src/household/memberships/join-group.ts",
    find: 'if (as_ops && !isRoleWithin("agent", caller.role))',
    replace: 'if (as_ops && !isRoleWithin("executor", caller.role))',
    tests: MEMBERS,
  },
  {
    name: "memberships: an agent of the group makes itself ops",
    file: "src/household/memberships/join-group.ts",
    find: "if (as_ops && isOnlyAgent(stores, group_id, caller)) return refuseSelfPromotion();",
    replace: "",
    tests: MEMBERS,
  },
  {
    name: "memberships: a repeated claim takes a second agent",
    file: "src/household/memberships/pools/repeated-claim.ts",
    find: "if (isHeld && now - at < REPEATED_CLAIM_MS)",
    replace: "if (isHeld && now - at < 0)",
    tests: REPEATED,
  },
  {
    name: "memberships: a repeated claim returns an agent that was released",
    file: "src/household/memberships/pools/repeated-claim.ts",
    find: "entry?.claim !== undefined && entry.epoch === claim.epoch",
    replace: "entry !== undefined",
    tests: REPEATED,
  },
  {
    name: "memberships: a member joins under the name of the exchange",
    file: "src/mess/groups/fields.ts",
    find: ".refine((name) => !isExchangeName(name), {",
    replace: '.refine((name) => name !== "", {',
    tests: NEXT_STEPS,
  },
  {
    name: "memberships: a closed group is joined",
    file: "src/household/memberships/join-group.ts",
    find: 'if (found.value.status === "closed") return refuseGroupClosed();',
    replace: "",
    tests: MEMBERS,
  },
  {
    name: "memberships: an agent closes the group",
    file: "src/household/memberships/close-group.ts",
    find: "if (!isOps && !isOwner)",
    replace: "if (named.length === 0 && !isOwner)",
    tests: MEMBERS,
  },
  {
    name: "memberships: everybody lists all groups",
    file: "src/household/memberships/list-groups.ts",
    find: 'caller.role === "owner"\n      ? stores.groups.listAll()',
    replace: "caller.role.length > 0\n      ? stores.groups.listAll()",
    tests: MEMBERS,
  },
  {
    name: "memberships: an agent that is claimed is claimed again",
    file: "src/household/memberships/pools/pool-views.ts",
    find: 'if (!entry.claim) return "available";',
    replace: 'if (!entry.claim?.joined) return "available";',
    tests: POOL,
  },
  {
    name: "memberships: an agent of the group claims with its own id",
    file: "src/household/memberships/pools/claim-agent.ts",
    find: 'return open[0]!.role === "ops" ? ok(open[0]!) : refuseNotOps();',
    replace: "return open.length > 0 ? ok(open[0]!) : refuseNotOps();",
    tests: POOL,
  },
  {
    name: "memberships: a stranger releases a claimed agent",
    file: "src/household/memberships/pools/release-agent.ts",
    find: "if (!isAllowed && (claim || remove))",
    replace: "if (!isAllowed && remove)",
    tests: POOL,
  },
  {
    name: "memberships: the group of a claim is shown to the whole household",
    file: "src/household/memberships/pools/pool-views.ts",
    find: "claim && (caller.role",
    replace: "claim && (claim.at > 0 || caller.role",
    tests: POOL,
  },
  {
    name: "memberships: the epoch of an agent does not rise",
    file: "src/household/memberships/pools/pool-store.ts",
    find: "SET epoch = epoch + 1, claimed_group",
    replace: "SET epoch = epoch + 0, claimed_group",
    tests: POOL,
  },
  {
    name: "memberships: the tasks of a released agent stay with it",
    file: "src/household/memberships/pools/release-agent.ts",
    find: "  endAssignment(\n",
    replace: "  if (now < 0) endAssignment(\n",
    tests: POOL,
  },
  {
    name: "memberships: a silent agent keeps its claim",
    file: "src/household/memberships/pools/silent-agents.ts",
    find: 'else endClaim(stores, entry, "silent", now);',
    replace: "else stores.pool.setCheckDue(entry.key, now + RETRY_DELAY_MS);",
    tests: RELIABILITY,
  },
  {
    name: "memberships: an agent counts as silent when its group does not answer",
    file: "src/household/memberships/pools/silent-agents.ts",
    find: "else if (listGroupsOf(entry).some((group) => !signs.has(group)))",
    replace: "else if (listGroupsOf(entry).some((group) => signs.has(group) && now < 0))",
    tests: RELIABILITY,
  },
  {
    name: "memberships: signs of life in the group of the claim do not count",
    file: "src/household/memberships/pools/signs-of-life.ts",
    find: "...(claim ? [claim.group] : []),",
    replace: "...(claim ? [] : []),",
    tests: RELIABILITY,
  },
  {
    name: "memberships: a message is lost when the group's object is down",
    file: "src/household/memberships/group-jobs.ts",
    find: "await object(group).post([notice]);",
    replace: "await object(group).post([notice]).catch(() => undefined);",
    tests: RELIABILITY,
  },
  {
    name: "memberships: a repeated offer is taken for its acceptance",
    file: "src/household/memberships/transfer-ops.ts",
    find: "(!isSender || context_summary === undefined)",
    replace: "(!isSender || context_summary !== null)",
    tests: HANDOFF,
  },
  {
    name: "memberships: ops that are not the primary offer the group",
    file: "src/household/memberships/transfer-ops.ts",
    find: "if (handover.group.primary !== from.key)",
    replace: "if (handover.group.primary === undefined)",
    tests: HANDOFF,
  },
  {
    name: "memberships: an offer never ends",
    file: "src/household/memberships/transfer-ops.ts",
    find: "handoff.at + OFFER_LIFETIME_MS > now && ",
    replace: "",
    tests: HANDOFF,
  },
  {
    name: "memberships: the group is offered to two members",
    file: "src/household/memberships/transfer-ops.ts",
    find: 'if (last?.state === "offered" && last.to !== to.key)',
    replace: 'if (last?.state === "accepted" && last.to !== to.key)',
    tests: HANDOFF,
  },
  {
    name: "memberships: the waits of a member outlive its key",
    file: "src/household/identity/end-access.ts",
    find: "  endMemberships(stores, credential, now);\n",
    replace: "",
    tests: ACCESS,
  },
  {
    name: "memberships: every member wipes the groups of the household",
    file: "src/household/memberships/close-group.ts",
    find: 'if (caller.role !== "owner")',
    replace: 'if (caller.role === "executor")',
    tests: ACCESS,
  },
];
