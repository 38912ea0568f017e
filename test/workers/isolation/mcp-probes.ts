/**
 * Probes for everything that the MCP server offers. `mcp.test.ts` fails for a tool, method or variable of a resource
 * template that is not here.
 */
import type { Names } from "./twins.ts";

type Arguments = Record<string, unknown>;
type Build = (names: Names) => readonly Arguments[];

const inYaml = (text: string): Arguments => ({ message: `MESS:\n- ${text}` });

/** Arguments of each tool that name something; a call without a name lists what the caller may see. */
export const TOOL_PROBES: Readonly<Record<string, Build>> = {
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
