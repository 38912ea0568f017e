/** Defects of the MCP tools and resources for message sources, which would break silently. */
import type { Mutant } from "../mutant.ts";

const TOOLS = ["mcp/messages/tools"];
const WAITS = ["mcp/messages/wait"];
const RESOURCES = ["mcp/messages/resources"];
const ACCESS = ["mcp/messages/access"];

export const MESSAGE_TOOL_MUTANTS: readonly Mutant[] = [
  {
    name: "message tools: a limited key is refused at its own address",
    file: "src/ingress/mcp/toolsets-by-path.ts",
    find: '  use: "messages",\n',
    replace: "",
    tests: ACCESS,
  },
  {
    name: "message tools: an OAuth client for messages is not limited to them",
    file: "src/auth/oauth/access-tokens.ts",
    find: '"/mcp/messages": CLIENT_MESSAGE_PATHS,',
    replace: '"/mcp/message": CLIENT_MESSAGE_PATHS,',
    tests: ACCESS,
  },
  {
    name: "message tools: the body of a stranger is not quoted",
    file: "src/ingress/mcp/text/describe-source-message.ts",
    find: "    quoteText(body),",
    replace: "    [quoteText(body), body][1]!,",
    tests: TOOLS,
  },
  {
    name: "message tools: a stranger's subject begins a line of its own",
    file: "src/ingress/mcp/text/describe-source-message.ts",
    find: '`"${inlineText(text, maxChars)}"`',
    replace: '`"${[inlineText(text, maxChars), text][1]!}"`',
    tests: TOOLS,
  },
  {
    name: "message tools: the rest of a long body cannot be read",
    file: "src/ingress/mcp/tools/messages/read.ts",
    find: "text: body.slice(offset, end), next: end",
    replace: "text: body.slice(offset, end), next: end + offset",
    tests: TOOLS,
  },
  {
    name: "message tools: a cursor of another source is accepted",
    file: "src/ingress/mcp/waits/source-waits.ts",
    find: "ofHousehold === household && ofSource === source",
    replace: 'ofHousehold === household && ofSource !== ""',
    tests: WAITS,
  },
  {
    name: "message tools: a cursor of another household is accepted",
    file: "src/ingress/mcp/waits/source-waits.ts",
    find: "return ofHousehold === household && ofSource",
    replace: 'return ofHousehold !== "" && household !== "" && ofSource',
    tests: WAITS,
  },
  {
    name: "message tools: a wait from a cursor skips the messages before the call",
    file: "src/sources/messages/list-messages.ts",
    find: "Math.min(position ?? newest, newest)",
    replace: "Math.max(position ?? newest, newest)",
    tests: WAITS,
  },
  {
    name: "message tools: a task lasts as long as its id says",
    file: "src/ingress/mcp/waits/source-wait-tasks.ts",
    find: "isKnown && seconds >= 0 && seconds <= MAX_LONG_WAIT_SECONDS",
    replace: "isKnown && seconds >= 0",
    tests: WAITS,
  },
  {
    name: "message tools: a session for messages subscribes to requests",
    file: "src/ingress/mcp/sessions/serve-session.ts",
    find: "offersRequests && CHANGING_LISTS.includes(uri)",
    replace: "(offersRequests || offersMessages) && CHANGING_LISTS.includes(uri)",
    tests: RESOURCES,
  },
  {
    name: "message tools: a stream reports the first notice only",
    file: "src/exchange/source-calls/watch-notices.ts",
    find: "cursor = received.value.cursor;",
    replace: "if (received.value.notices.length > 0) return;",
    tests: RESOURCES,
  },
];
