/** A toolset: what the MCP server offers at one of its addresses. */
import type { CredentialUse } from "../../auth/authenticate.ts";
import type { McpPath } from "../../auth/oauth/resources.ts";
import type { ExchangeBindings } from "../../exchange/with-thread.ts";
import type { McpCaller } from "./caller.ts";
import type { TaskSource } from "./tasks/protocol.ts";
import type { Tool } from "./tool.ts";

export interface Toolset {
  readonly path: McpPath;
  readonly serverInfo: {
    readonly name: string;
    readonly title: string;
    readonly description: string;
  };
  /** For the client's model, before any call. */
  readonly instructions: string;
  /** In the order in which clients list them. */
  readonly tools: readonly Tool[];
  /** Whether requests to people and machines are offered, with their resources and prompts. */
  readonly offersRequests: boolean;
  /** Whether message sources are offered, with their resources. */
  readonly offersMessages?: true;
  /** `messages` admits credentials that are limited to message sources, which all other toolsets refuse. */
  readonly use?: CredentialUse;
  createTasks(env: ExchangeBindings, caller: McpCaller): TaskSource;
}
