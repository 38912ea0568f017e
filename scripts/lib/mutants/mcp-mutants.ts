/** Defects of forms and subscriptions of MCP clients, which would break silently. */
import type { Mutant } from "./mutant.ts";

const FORMS = ["mcp/forms"];
const SESSIONS = ["mcp/sessions"];

export const MCP_MUTANTS: readonly Mutant[] = [
  {
    name: "mcp: a form that the user declined is posted as an answer",
    file: "src/ingress/mcp/requests/ask-user.ts",
    find: 'given["action"] === "accept"',
    replace: 'given["action"] !== "cancel"',
    tests: FORMS,
  },
  {
    name: "mcp: a form is posted after its credential ended",
    file: "src/ingress/mcp/requests/ask-user.ts",
    find: "if (!(await isStillLive(env, principal))) return refuseUnauthenticated();",
    replace: "void [isStillLive, refuseUnauthenticated];",
    tests: FORMS,
  },
  {
    name: "mcp: a response of another credential answers a form",
    file: "src/household/mcp-sessions/session-sockets.ts",
    find: "viewer.credential === credential && viewer.session === session",
    replace: "credential !== undefined && viewer.session === session",
    tests: FORMS,
  },
  {
    name: "mcp: a call that is repeated with answers creates its request again",
    file: "src/ingress/mcp/requests/create-request.ts",
    find: "if (resumed.value) return await",
    replace: "if (resumed.value && wait_seconds === -1) return await",
    tests: FORMS,
  },
  {
    name: "mcp: a session is subscribed to threads that its caller may not read",
    file: "src/ingress/mcp/sessions/serve-session.ts",
    find: "if (!found.ok) throw new ResourceNotFoundError(uri);",
    replace: "void found;",
    tests: SESSIONS,
  },
  {
    name: "mcp: a stream stays open after its credential has ended",
    file: "src/household/household-context.ts",
    find: "closeEndedSessions(this.#ctx, isActive);",
    replace: "void closeEndedSessions;",
    tests: SESSIONS,
  },
  {
    name: "mcp: a stream reports resources to which its session is not subscribed",
    file: "src/ingress/mcp/sessions/event-stream.ts",
    find: "if (this.#uris?.has(uri)) this.#report(uri);",
    replace: "this.#report(uri);",
    tests: SESSIONS,
  },
  {
    name: "mcp: the subscriptions of a session are kept for every credential",
    file: "src/household/mcp-sessions/mcp-sessions.ts",
    find: 'WHERE credential = ? AND session = ? AND expires > ?",\n        credential,',
    replace: "WHERE credential <> ? AND session = ? AND expires > ?\",\n        '',",
    tests: SESSIONS,
  },
];
