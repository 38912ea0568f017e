/** Scripted members of a started exchange: an agent by MCP, and executors by HTTP. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, vi } from "vitest";
import { type Ack, createClient, type Client as Http } from "../../scripts/lib/client.ts";

export interface Thread {
  envelope: {
    ref: string;
    client_id?: string;
    status: string;
    executor: string | null;
    priority: string;
    created: string;
    expires?: string;
    blocked_by?: string[];
    history: { action: string; by: string; note?: string }[];
  };
  messages: { from: string; MESS: Record<string, Record<string, unknown>>[] }[];
}

export interface Result {
  text: string;
  isError: boolean;
  /** Bytes of the images in the result. */
  images: Uint8Array[];
  /** The structured part. */
  fields: Record<string, unknown>;
}

type Block = { type: string; text?: string; data?: string };

/** An agent with a client of the current protocol revision. */
export class Agent {
  readonly http: Http;
  readonly #client: Client;

  private constructor(http: Http, mcp: Client) {
    this.http = http;
    this.#client = mcp;
  }

  static async connect({ origin, mcp }: { origin: string; mcp: string }, key: string) {
    const connected = new Client({ name: "player", version: "1.0.0" });
    const headers = { Authorization: `Bearer ${key}` };
    await connected.connect(
      new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers } }),
    );
    return new Agent(createClient(origin, key), connected);
  }

  /** Calls a tool; a refusal is returned as a result. */
  async call(name: string, given: Record<string, unknown>): Promise<Result> {
    const result = await this.#client.callTool({ name, arguments: given });
    const { content, isError, structuredContent } = result;
    const blocks = content as Block[];
    return {
      text: blocks.map(({ text = "" }) => text).join("\n"),
      isError: isError === true,
      fields: (structuredContent ?? {}) as Record<string, unknown>,
      images: blocks.flatMap(({ type, data = "" }) =>
        type === "image" ? [Uint8Array.from(Buffer.from(data, "base64"))] : [],
      ),
    };
  }

  read = (target: string): Promise<Thread> => this.http.get<Thread>(`/mess/${target}`);

  close = (): Promise<void> => this.#client.close();
}

/** An executor that works on the threads offered to it. */
export class Worker {
  readonly http: Http;

  constructor(origin: string, key: string) {
    this.http = createClient(origin, key);
  }

  /** Waits until the thread with the agent's id is in this executor's list; returns its ref. */
  offered = (id: string): Promise<string> =>
    vi.waitFor(
      async () => {
        const { threads } = await this.http.get<{ threads: Thread["envelope"][] }>("/mess");
        const found = threads.find(({ client_id: named }) => named === id);
        expect(found, `${id} in the list`).toBeDefined();
        return found!.ref;
      },
      { timeout: 20_000, interval: 50 },
    );

  /** Returns whether the executor may read the thread. */
  sees = (ref: string): Promise<boolean> =>
    this.http.get(`/mess/${ref}`).then(
      () => true,
      () => false,
    );

  read = (ref: string): Promise<Thread> => this.http.get<Thread>(`/mess/${ref}`);

  /** Sends these blocks in one message, with the files that they name. */
  tell = (ref: string, blocks: object[], files: readonly File[] = []): Promise<Ack> =>
    this.http.mess(JSON.stringify({ re: ref, MESS: blocks }), files);

  report = (ref: string, code: string, more: object = {}): Promise<Ack> =>
    this.tell(ref, [{ status: { code, ...more } }]);

  finish = (ref: string, ...content: unknown[]): Promise<Ack> =>
    this.tell(ref, [{ response: { content } }, { status: { code: "completed" } }]);
}

/** The blocks of this type in the thread, oldest first. */
export const listBlocks = ({ messages }: Thread, type: string): Record<string, unknown>[] =>
  messages.flatMap(({ MESS }) => MESS.flatMap((block) => (block[type] ? [block[type]] : [])));
