/**
 * Probes for everything that the MCP server offers. `mcp.test.ts` fails for a tool, method or variable of a resource
 * template that is not here.
 */
import type { McpPath } from "../../../src/auth/oauth/resources.ts";
import type { Names } from "./twins.ts";

type Arguments = Record<string, unknown>;
type Build = (names: Names) => readonly Arguments[];

const inYaml = (text: string): Arguments => ({ message: `MESS:\n- ${text}` });

/** Arguments of each tool that name something; a call without a name lists what the caller may see. */
const TOOL_PROBES: Readonly<Record<string, Build>> = {
  mess_observe: ({ ref, file, household }) => [
    { intent: "look", context: [`content://${ref}/${file}`], wait_seconds: 0 },
    { intent: "look", exchange: household, wait_seconds: 0 },
  ],
  mess_do: ({ household }) => [{ intent: "look", exchange: household, wait_seconds: 0 }],
  mess_status: ({ ref, clientId, household }) => [
    { re: ref },
    { re: clientId },
    { re: `${household}/${ref}` },
    { re: ref, exchange: household },
    { re: "all" },
    { search: "text" },
    {},
  ],
  mess_wait: ({ ref, clientId }) => [
    { re: ref, wait_seconds: 0 },
    { re: [ref, clientId], wait_seconds: 0 },
  ],
  mess_reply: ({ ref, suggestion }) => [
    { re: ref, answers: "yes" },
    { re: suggestion, accept: true },
  ],
  mess_cancel: ({ ref, clientId }) => [{ re: ref }, { re: clientId }],
  mess_capabilities: () => [{}, { requires: ["look"] }],
  mess_fetch: ({ ref, message, file }) => [
    { uri: `content://${ref}/${file}` },
    { uri: `content://${ref}/${message}/${file}` },
  ],
  mess: ({ ref, clientId, household, file }) => [
    inYaml(`followup: {re: "${ref}", message: hello}`),
    inYaml(`followup: {re: "${household}/${ref}", message: hello}`),
    inYaml(`status: {re: "${ref}", code: completed}`),
    inYaml(`query: {type: status, filter: {re: "${ref}"}}`),
    inYaml(`request: {intent: after, constraints: {depends_on: ["${ref}"]}}`),
    inYaml(`request: {intent: use it, context: [{ref: "${ref}"}]}`),
    inYaml(`request: {intent: use it, context: [{ref: "${clientId}"}]}`),
    inYaml(`request: {intent: use it, context: [{image: "content://${ref}/${file}"}]}`),
    inYaml("query: {type: capabilities}"),
  ],
};

/** Arguments of each tool for AI groups. */
export const GROUP_TOOL_PROBES: Readonly<Record<string, Build>> = {
  initiate: ({ household }) => [{ topic: "look" }, { topic: "look", exchange: household }],
  join: ({ group, ops }) => [
    { group_id: group, my_name: "newcomer" },
    { group_id: group, my_name: "lead", as_ops: true, assigned_by: ops },
  ],
  status: ({ group }) => [{ group_id: group }, { group_id: group, my_name: "lead" }, {}],
  close: ({ group, ops }) => [{ group_id: group }, { group_id: group, my_ops_id: ops }],
  send: ({ group, ops, worker, groupMessage }) => [
    { group_id: group, my_id: ops, to_id: worker, content: "hello" },
    { my_id: worker, to_id: ops, content: "done", message_type: "report", reply_to: groupMessage },
    { to_id: ops, content: "hello" },
  ],
  read: ({ group, ops, worker }) => [
    { group_id: group, my_id: ops },
    { group_id: group, my_id: ops, other_id: worker, unread_only: false },
    { group_id: group, between: [ops, worker] },
    { group_id: "agents", my_id: worker },
  ],
  pending: ({ group, ops }) => [{ group_id: group, my_id: ops }, { my_id: ops }],
  mark_read: ({ group, ops, worker, groupMessage }) => [
    { group_id: group, my_id: ops, other_id: worker },
    { group_id: group, my_id: ops, msg_id: groupMessage },
  ],
  mark_all_read: ({ group, ops }) => [{ group_id: group, my_id: ops }],
  search: ({ group, ops, household }) => [
    {},
    { q: "canary" },
    { group_id: group },
    { member: ops },
    { q: "canary", exchange: household },
  ],
  wait: ({ group, ops, poolAgent }) => [
    { group_id: group, my_id: ops, timeout: 0 },
    { group_id: group, my_id: ops, cursor: "0", timeout: 0 },
    { group_id: "agents", my_id: poolAgent, timeout: 0 },
  ],
  rejoin: ({ group }) => [{ my_name: "lead", group_id: group }],
  transfer_ops: ({ group, ops, worker }) => [
    { group_id: group, from_ops_id: ops, to_agent_id: worker },
    { from_ops_id: ops, to_agent_id: worker, verification_passed: true },
  ],
  pool_register: ({ household }) => [
    { agent_name: "robo" },
    { agent_name: "robo", exchange: household },
  ],
  pool_register_ops: () => [{ ops_name: "backup" }],
  pool_list: ({ household }) => [{}, { status: "available", exchange: household }],
  pool_claim: ({ group, ops, poolAgent }) => [
    { ops_id: ops, target_group_id: group, task: "look" },
    { ops_id: ops, agent_id: poolAgent },
  ],
  pool_release: ({ poolAgent }) => [{ agent_id: poolAgent }, { agent_id: poolAgent, remove: true }],
  heartbeat: ({ group, worker, poolAgent }) => [
    { agent_id: worker, group_id: group },
    { agent_id: poolAgent },
  ],
  agent_status: ({ poolAgent, worker }) => [{ agent_id: poolAgent }, { agent_id: worker }],
  wipe_all: ({ household }) => [{}, { confirm: household }],
  reserve: ({ household, ops }) => [
    {},
    { names: ["the oven"] },
    { names: ["the oven"], my_id: ops },
    { exchange: household },
  ],
  release: ({ household, ops }) => [
    { names: ["the oven"], force: true },
    { my_id: ops },
    { exchange: household },
  ],
};

/** A draft that no household has; those of the victim are in its source. */
const ABSENT_DRAFT = "d_0000000000001";

/** Arguments of each tool for message sources. */
export const MESSAGE_TOOL_PROBES: Readonly<Record<string, Build>> = {
  list: ({ source, household }) => [
    {},
    { source },
    { search: "canary" },
    { search: "canary", source },
    { source, drafts: true },
    { exchange: household },
  ],
  read: ({ source, sourceMessage }) => [
    { source, id: sourceMessage },
    { id: sourceMessage },
    { source, id: ABSENT_DRAFT },
  ],
  wait: ({ source, household }) => [
    { timeout: 0 },
    { timeout: 0, cursor: `${household}.notify.0` },
    { source, timeout: 0 },
    { source, timeout: 0, cursor: `${household}.${source}.0` },
  ],
  draft: ({ source, sourceMessage }) => [
    { source, message: sourceMessage, body: "Hello" },
    { source, message: sourceMessage, forward: true, to: ["me@here.test"], body: "Look" },
    { source, to: ["me@here.test"], body: "Hello" },
  ],
  revise: ({ source }) => [
    { source, draft: ABSENT_DRAFT, revision: 1, body: "Hello" },
    { source, draft: ABSENT_DRAFT, discard: true },
  ],
  request_approval: ({ source }) => [{ source, draft: ABSENT_DRAFT }],
  mark: ({ source, sourceMessage }) => [
    { source, ids: [sourceMessage], mark: "archive" },
    { source, ids: [sourceMessage], verdict: "TIER: IGNORE\nREASON: None." },
    { ids: [sourceMessage], mark: "seen" },
  ],
  policy: ({ source, household }) => [
    {},
    { text: "Sort.", dry_run: true, source },
    { exchange: household },
  ],
};

/** The probes of the tools at each address. */
export const TOOL_PROBES_BY_PATH: Readonly<Record<McpPath, Readonly<Record<string, Build>>>> = {
  "/mcp": TOOL_PROBES,
  "/mcp/groups": GROUP_TOOL_PROBES,
  "/mcp/messages": MESSAGE_TOOL_PROBES,
  "/mcp/all": {
    ...TOOL_PROBES,
    ...Object.fromEntries(
      Object.entries(GROUP_TOOL_PROBES).map(([name, build]) => [`group_${name}`, build]),
    ),
    ...Object.fromEntries(
      Object.entries(MESSAGE_TOOL_PROBES).map(([name, build]) => [`message_${name}`, build]),
    ),
  },
};

/** The task of a wait for messages, whose id names a group and a member. */
const buildWaitTask = ({ group, ops }: Names, mark = ""): { taskId: string } => ({
  taskId: `wait.${group}.${ops}.${mark}0.1700000000.1700000600`,
});

export const WAIT_TASK_PROBES: Readonly<Record<string, Build>> = {
  "tasks/get": (names) => [buildWaitTask(names), buildWaitTask(names, "c")],
  "tasks/update": (names) => [{ ...buildWaitTask(names), inputResponses: {} }],
  "tasks/cancel": (names) => [buildWaitTask(names)],
};

/** The task of a wait for messages of a source. The task of a wait for notices names nothing. */
const buildSourceWaitTask = ({ source }: Names): { taskId: string } => ({
  taskId: `messages.${source}.0.1700000000.1700000600`,
});

export const SOURCE_WAIT_TASK_PROBES: Readonly<Record<string, Build>> = {
  "tasks/get": (names) => [
    buildSourceWaitTask(names),
    { taskId: "messages.notify.0.1700000000.1700000600" },
  ],
  "tasks/update": (names) => [{ ...buildSourceWaitTask(names), inputResponses: {} }],
  "tasks/cancel": (names) => [buildSourceWaitTask(names)],
};

/** Values of the variables of the templates of messages, by variable. */
export const MESSAGE_TEMPLATE_VALUES: typeof TEMPLATE_VALUES = {
  source: ({ source }) => [source],
  id: ({ sourceMessage }) => [sourceMessage],
  part: () => ["0"],
};

/** Values of the variables of resource templates, by variable. */
export const TEMPLATE_VALUES: Readonly<Record<string, (names: Names) => readonly string[]>> = {
  id: ({ ref, clientId }) => [ref, clientId],
  ref: ({ ref, household }) => [ref, `${household}%2F${ref}`],
  thread: ({ ref }) => [ref],
  message: ({ message }) => [message],
  file: ({ file }) => [file],
};

interface Public {
  /** Why the method shows nothing of a household, or where it is tested. */
  public: string;
}

export const METHOD_PROBES: Readonly<Record<string, Build | Public>> = {
  "tools/call": { public: "every tool has probes of its own" },
  "resources/read": { public: "every resource and template is read" },
  "tools/list": () => [{}],
  "resources/list": () => [{}],
  "resources/templates/list": () => [{}],
  "prompts/list": () => [{}],
  "prompts/get": () => [{ name: "review" }],
  "completion/complete": ({ ref }) =>
    ["", ref.slice(0, 10), ref].flatMap((value) => [
      { ref: { type: "ref/resource", uri: "thread://{ref}" }, argument: { name: "ref", value } },
      {
        ref: { type: "ref/resource", uri: "content://{thread}/{file}" },
        argument: { name: "file", value: "" },
        context: { arguments: { thread: ref } },
      },
    ]),
  "tasks/get": ({ ref, household }) => [{ taskId: ref }, { taskId: `${household}/${ref}` }],
  "tasks/update": ({ ref }) => [{ taskId: ref, inputResponses: {} }],
  "tasks/cancel": ({ ref, household }) => [{ taskId: ref }, { taskId: `${household}/${ref}` }],
  "subscriptions/listen": {
    public:
      "an open stream; subscriptions.test.ts shows that it reports no other household's threads",
  },
  "resources/subscribe": ({ ref, clientId, household }) => [
    { uri: `thread://${ref}` },
    { uri: `thread://${household}%2F${ref}` },
    { uri: `mess://request/${clientId}` },
  ],
  "resources/unsubscribe": ({ ref }) => [{ uri: `thread://${ref}` }],
  "logging/setLevel": { public: "changes only the caller's own session" },
  "server/discover": { public: "metadata of the deployment" },
  initialize: { public: "metadata of the deployment" },
  "notifications/initialized": { public: "has no response" },
  ping: { public: "has an empty response" },
};
