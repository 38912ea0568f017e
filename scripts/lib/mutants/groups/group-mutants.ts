/** Defects of AI groups: a channel that others see, an id that others use, a message or an agent that is lost or doubled. */
import type { Mutant } from "../mutant.ts";

const GROUPS = ["http/groups/groups"];
const MESSAGES = ["http/groups/messages"];
const EVENTS = ["http/groups/events"];
const SEARCH = ["http/groups/search"];
const SIMULATION = ["reliability/groups/simulation"];
const INBOX = ["inbox/groups"];

export const GROUP_MUTANTS: readonly Mutant[] = [
  {
    name: "a third member reads the channel of two others",
    file: "src/groups/reading/read-messages.ts",
    find: 'if (isOwnersView(query) && caller.principal.role !== "owner") return refuseNotOwner();',
    replace: "",
    tests: MESSAGES,
  },
  {
    name: "a person sees groups of the household in which the person has no member",
    file: "src/groups/reading/view-group.ts",
    find: "if (!isOwner && own.length === 0) return refuseGroupNotFound();",
    replace: "",
    tests: INBOX,
  },
  {
    name: "a person reads the channels of others in the inbox",
    file: "src/groups/reading/view-group.ts",
    find: "const seqs = isOwner",
    replace: "const seqs = viewer",
    tests: INBOX,
  },
  {
    name: "a person sees the open tasks of others in the inbox",
    file: "src/groups/reading/view-group.ts",
    find: "isOwner ? undefined : own.map(({ key }) => key)",
    replace: "undefined",
    tests: INBOX,
  },
  {
    name: "the inbox lists the groups of others",
    file: "src/household/memberships/list-groups.ts",
    find: "groupMembers.listOfActor(caller.actor)",
    replace: "stores.groups.listAll().flatMap(({ id }) => groupMembers.list(id))",
    tests: INBOX,
  },
  {
    name: "everybody who sees a group writes to all its agents",
    file: "src/groups/sending/send-announcement.ts",
    find: 'const isOwner = caller.role === "owner";',
    replace: "const isOwner = true;",
    tests: INBOX,
  },
  {
    name: "a repeated announcement is delivered again",
    file: "src/groups/sending/send-announcement.ts",
    find: "members.filter((_member, index) => earlier[index] === undefined)",
    replace: "members.filter(() => true)",
    tests: INBOX,
  },
  {
    name: "an announcement does not come from a person",
    file: "src/groups/sending/send-announcement.ts",
    find: 'details: { importance: "urgent", person: true },',
    replace: 'details: { importance: "urgent" },',
    tests: INBOX,
  },
  {
    name: "any message in a channel is answered like an announcement",
    file: "src/groups/sending/send-message.ts",
    find: "    answered.receiver === sender.key &&\n",
    replace: "",
    tests: INBOX,
  },
  {
    name: "an id of a group works with another credential",
    file: "src/groups/resolve-caller.ts",
    find: "roster.listActive().filter(({ credential }) => credential === principal.credential)",
    replace: "roster.listActive()",
    tests: MESSAGES,
  },
  {
    name: "a member of the household learns that a group exists",
    file: "src/groups/resolve-caller.ts",
    find: "const isKnown = record.members.some(({ actor }) => actor === principal.actor);",
    replace: "const isKnown = true;",
    tests: GROUPS,
  },
  {
    name: "anybody in the household watches a group",
    file: "src/groups/sockets/watch-sockets.ts",
    find: 'return viewer.role === "owner" || listVisibleMembers(store, viewer).length > 0;',
    replace: "return true;",
    tests: GROUPS,
  },
  {
    name: "a stream of events shows the channels of others",
    file: "src/groups/sockets/watch-sockets.ts",
    find: 'if (own || viewer.role === "owner")',
    replace: "if (viewer)",
    tests: EVENTS,
  },
  {
    name: "a stream that continues loses the messages in between",
    file: "src/groups/sockets/watch-sockets.ts",
    find: "if (after !== null) showEarlier",
    replace: 'if (after === "") showEarlier',
    tests: EVENTS,
  },
  {
    name: "a search covers the channels of others",
    file: "src/household/memberships/list-groups.ts",
    find: 'visible: role === "owner" ? undefined : ',
    replace: 'visible: role !== "executor" ? undefined : ',
    tests: SEARCH,
  },
  {
    name: "a repeated claim takes a second agent",
    file: "src/household/memberships/repeated-call.ts",
    find: "`group ${kind} ${key}`",
    replace: "`group ${kind} ${key} ${crypto.randomUUID()}`",
    tests: ["http/groups/pools"],
  },
  {
    name: "all groups are wiped for the id of another household",
    file: "src/exchange/group-calls/group-memberships.ts",
    find: "if (confirm === principal.household)",
    replace: "if (confirm !== undefined)",
    tests: GROUPS,
  },
  {
    name: "a message that D1 did not take is never found",
    file: "src/groups/index-messages.ts",
    find: "await withTimeout(D1_TIMEOUT_MS, indexGroupMessages(env.INDEX, messages));",
    replace:
      "await withTimeout(D1_TIMEOUT_MS, indexGroupMessages(env.INDEX, messages)).catch(() => undefined);",
    tests: ["groups/index-messages"],
  },
  {
    name: "the export of a group ends after its first page",
    file: "src/exchange/archives/export-groups.ts",
    find: "if (!more) return;",
    replace: "if (after > 0) return;",
    tests: ["http/groups/export"],
  },
  {
    name: "old tasks of AI groups are deleted before they are done",
    file: "src/groups/delete-old-messages.ts",
    find: "page.filter((message) => !isUnfinishedTask(store, message))",
    replace: "page.filter((message) => message.seq > 0)",
    tests: ["groups/retention"],
  },
  {
    name: "positions of an AI group repeat after its messages were deleted",
    file: "src/groups/delete-old-messages.ts",
    find: "Math.min(messages.findFirstSince(before), messages.getNewestSeq())",
    replace: "messages.findFirstSince(before)",
    tests: ["groups/retention"],
  },
  {
    name: "an agent that is claimed is given to other ops",
    file: "src/household/memberships/pools/claim-agent.ts",
    find: "const free = entries.filter(({ claim }) => !claim);",
    replace: "const free = entries.map((entry) => { delete entry.claim; return entry; });",
    tests: SIMULATION,
  },
  {
    name: "a task that was given back is given to two agents",
    file: "src/household/memberships/pools/returned-task.ts",
    find: "const key = `group task ${task}`;",
    replace: "const key = `group task ${task} ${crypto.randomUUID()}`;",
    tests: SIMULATION,
  },
  {
    name: "marking all messages as read leaves their counters",
    file: "src/groups/reading/mark-read.ts",
    find: "cursor: counts.newest, types: {} });",
    replace: "cursor: counts.newest });",
    tests: SIMULATION,
  },
  {
    name: "a message wakes its sender in place of its receiver",
    file: "src/groups/sockets/wait-sockets.ts",
    find: "of listWaiters(ctx, getWaitTag(receiver)))",
    replace: "of listWaiters(ctx, getWaitTag(message.sender)))",
    tests: ["groups/wait"],
  },
  {
    name: "the message of a claim is lost where the group does not answer",
    file: "src/household/memberships/group-jobs.ts",
    find: "await object(group).post([notice]);",
    replace: "await object(group).post([notice]).catch(() => undefined);",
    tests: ["household/groups-reliability"],
  },
  {
    name: "a wait without a cursor skips a message",
    file: "src/groups/reading/receive-messages.ts",
    find: "after: Math.max(cursor, received),",
    replace: "after: Math.max(cursor, received + 1),",
    tests: ["groups/random-course"],
  },
  {
    name: "a closed group accepts messages",
    file: "src/groups/sending/send-message.ts",
    find: 'if (store.roster.get().status === "closed") return refuseGroupClosed();',
    replace: "",
    tests: ["groups/send-and-read"],
  },
];
