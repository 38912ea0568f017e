/** Defects of the object of an AI group: foreign messages shown, messages lost or repeated, wrong counters and tasks. */
import type { Mutant } from "../mutant.ts";

const SEND = ["groups/send-and-read"];
const READ = ["groups/read-state"];
const WAIT = ["groups/wait"];
const TASKS = ["groups/tasks"];
const POOLS = ["http/groups/pools"];

export const GROUP_OBJECT_MUTANTS: readonly Mutant[] = [
  {
    name: "group object: an id works with every credential",
    file: "src/groups/resolve-caller.ts",
    find: "roster.listActive().filter(({ credential }) => credential === principal.credential)",
    replace:
      "roster.listActive().filter(({ id }) => as === undefined || id !== principal.credential)",
    tests: SEND,
  },
  {
    name: "group object: a stranger learns that the group exists",
    file: "src/groups/resolve-caller.ts",
    find: "return own.length > 0 || isKnown || isOwner(roster, caller)",
    replace: "return own.length > 0 || isKnown || !isOwner(roster, caller)",
    tests: SEND,
  },
  {
    name: "group object: any member reads the channels of others",
    file: "src/groups/reading/read-messages.ts",
    find: 'isOwnersView(query) && caller.principal.role !== "owner"',
    replace: 'isOwnersView(query) && caller.principal.role === "executor"',
    tests: SEND,
  },
  {
    name: "group object: a third member marks and acknowledges a message",
    file: "src/groups/reading/mark-read.ts",
    find: "if (message?.receiver !== member.key) return refuseUnknownMessage();",
    replace: "if (!message) return refuseUnknownMessage();",
    tests: SEND,
  },
  {
    name: "group object: a reply names a message of another channel",
    file: "src/groups/sending/send-message.ts",
    find: "pair.includes(replied.sender) && pair.includes(replied.receiver)",
    replace: "(pair.includes(replied.sender) || pair.includes(replied.receiver))",
    tests: SEND,
  },
  {
    name: "group object: a claim reveals the text of a task that others assigned",
    file: "src/groups/sending/post-notice.ts",
    find: "return task && [task.assigner, ...task.former_assigners].includes(sender) ? task : undefined;",
    replace: "return task && sender !== task.agent ? task : undefined;",
    tests: TASKS,
  },
  {
    name: "group object: status shows the tasks of others",
    file: "src/groups/reading/status-view.ts",
    find: "isOwner || !member ? undefined : [member.key]",
    replace: "undefined",
    tests: TASKS,
  },
  {
    name: "group object: a dashboard shows the channels of others",
    file: "src/groups/sockets.ts",
    find: 'if (own || viewer.role === "owner")',
    replace: "if (own || viewer.household !== undefined)",
    tests: WAIT,
  },
  {
    name: "group object: a message wakes the waits of all members",
    file: "src/groups/sockets.ts",
    find: "const getWaitTag = (member: string): string => `wait:${member}`;",
    replace: "const getWaitTag = (member: string): string => `wait:${member.length}`;",
    tests: WAIT,
  },
  {
    name: "group object: a wait outlives its member's credential",
    file: "src/groups/sockets.ts",
    find: "if (!active || ended || (viewer as WaitViewer).credential !== credential)",
    replace: "if (!active && ended && (viewer as WaitViewer).credential !== credential)",
    tests: WAIT,
  },
  {
    name: "group object: a wait without a cursor repeats what it returned",
    file: "src/groups/reading/receive-messages.ts",
    find: "after: Math.max(cursor, received),",
    replace: "after: cursor,",
    tests: WAIT,
  },
  {
    name: "group object: a wait without a cursor skips messages that did not fit",
    file: "src/groups/reading/receive-messages.ts",
    find: "store.life.setReceived(key, last, now);",
    replace: "store.life.setReceived(key, newest, now);",
    tests: WAIT,
  },
  {
    name: "group object: a member that waits is offline",
    file: "src/groups/tables/signs-of-life.ts",
    find: "return this.#isWaiting(member) ? now : this.#read().get(member)?.seen;",
    replace: "return this.#read().get(member)?.seen;",
    tests: WAIT,
  },
  {
    name: "group object: a closed group takes messages",
    file: "src/groups/sending/send-message.ts",
    find: 'if (store.roster.get().status === "closed") return refuseGroupClosed();',
    replace: 'if (store.roster.get().topic === "closed") return refuseGroupClosed();',
    tests: SEND,
  },
  {
    name: "group object: an older record replaces a newer one",
    file: "src/groups/tables/roster.ts",
    find: "record.revision <= stored.revision",
    replace: "record.revision === stored.revision",
    tests: SEND,
  },
  {
    name: "group object: the cache keeps a record that was rolled back",
    file: "src/groups/tables/group-store.ts",
    find: "this.roster.clearCache();",
    replace: "this.roster.read();",
    tests: ["groups/failed-writes"],
  },
  {
    name: "group object: reading a page marks everything of its senders",
    file: "src/groups/reading/mark-read.ts",
    find: "cursor: isLast ? counts.newest : read.at(-1)!.seq",
    replace: "cursor: isLast ? read.at(-1)!.seq : counts.newest",
    tests: READ,
  },
  {
    name: "group object: a single mark moves the cursor past unread messages",
    file: "src/groups/reading/mark-read.ts",
    find: "const changed = { ...counts, cursor: oldest! - 1, types };",
    replace: "const changed = { ...counts, cursor: Math.max(marked[0]!.seq, oldest! - 1), types };",
    tests: READ,
  },
  {
    name: "group object: a reply to one's own message acknowledges it",
    file: "src/groups/sending/append-message.ts",
    find: "if (replied?.receiver === sender) acknowledge(store, replied);",
    replace: "if (replied) acknowledge(store, replied);",
    tests: READ,
  },
  {
    name: "group object: the name of an agent adds a line to a message of the exchange",
    file: "src/groups/end-assignment.ts",
    find: "`${toOneLine(agent.name)} (${agent.id})`",
    replace: "`${agent.name} (${agent.id})`",
    tests: POOLS,
  },
  {
    name: "group object: the end of an earlier claim gives back the tasks of a later one",
    file: "src/groups/end-assignment.ts",
    find: "task.epoch !== null && task.epoch <= epoch",
    replace: "task.epoch !== null && task.epoch >= epoch",
    tests: TASKS,
  },
  {
    name: "group object: a late end of a claim gives back tasks that were sent after it",
    file: "src/groups/end-assignment.ts",
    find: "task.epoch !== null && task.epoch <= epoch",
    replace: "(task.epoch ?? 0) <= epoch",
    tests: TASKS,
  },
  {
    name: "group object: nobody learns that the agent of a task is silent",
    file: "src/groups/sending/append-message.ts",
    find: "if (epoch === null && member && !isExecutor(member))",
    replace: "if (epoch === undefined && member && !isExecutor(member))",
    tests: ["groups/silent-members"],
  },
  {
    name: "group object: a silent member is checked only once",
    file: "src/groups/silent-members.ts",
    find: "putSilenceCheck(jobs, agent, due);",
    replace: "if (due < now) putSilenceCheck(jobs, agent, due);",
    tests: ["groups/silent-members"],
  },
  {
    name: "group object: a late report completes a task that was given back",
    file: "src/groups/sending/reported-task.ts",
    find: 'if (task.status === "returned") return { late: true };',
    replace: "",
    tests: TASKS,
  },
  {
    name: "group object: a handoff takes tasks that the former primary assigns later",
    file: "src/groups/tables/handoffs.ts",
    find: "handoff.seq >= seq",
    replace: "handoff.seq >= 0",
    tests: TASKS,
  },
];
