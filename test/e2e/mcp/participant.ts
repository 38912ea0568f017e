/** An agent of AI groups: a real MCP client of either generation, with a key of its own. */
import { type Client as ModernClient } from "@modelcontextprotocol/client";
import { connectLegacyClient, connectModernClient, readText } from "./stage.ts";

export const GROUPS_PATH = "/mcp/groups";

type Era = "the 2025 SDK" | "the 2.x client";

/** A message of a group, as tools return it. */
export interface Message {
  id: string;
  from: string;
  type: string;
  reply_to?: string;
}

/** The fields of a result that the test reads. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Fields = any;

export class Participant {
  readonly #client: ModernClient;
  readonly #era: Era;

  private constructor(client: ModernClient, era: Era) {
    this.#client = client;
    this.#era = era;
  }

  static async connect(era: Era, key: string, path = GROUPS_PATH): Promise<Participant> {
    const connection = { key, path };
    const client =
      era === "the 2025 SDK"
        ? await connectLegacyClient(undefined, connection)
        : await connectModernClient(undefined, {}, connection);
    return new Participant(client as unknown as ModernClient, era);
  }

  /** Calls a tool; throws its text if it refuses. */
  async use(name: string, args: object = {}, options: object = {}): Promise<Fields> {
    const call = { name, arguments: { ...args } };
    // The older SDK expects a schema as its second argument.
    const more = this.#era === "the 2025 SDK" ? [undefined, options] : [options];
    const result = await this.#client.callTool(call, ...(more as [object]));
    if (result.isError) throw new Error(readText(result));
    return { ...(result.structuredContent as object), text: readText(result) };
  }

  /** Waits as long as it takes, with progress. */
  wait = (args: object): Promise<Fields> =>
    this.use(
      "wait",
      { timeout: 60, ...args },
      { onprogress: () => undefined, resetTimeoutOnProgress: true },
    );

  /** Waits until as many messages of the type have arrived. */
  async waitForAll(args: object, type: string, count: number): Promise<Message[]> {
    const found: Message[] = [];
    for (let cursor = "0"; found.length < count;) {
      const received = await this.wait({ ...args, cursor });
      found.push(...received.messages.filter((one: Message) => one.type === type));
      cursor = received.cursor as string;
    }
    return found;
  }
}
