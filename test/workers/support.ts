/** What tests through the front door have in common: a household of its own, and its members as callers. */
import { exports } from "cloudflare:workers";
import { vi } from "vitest";

export const ORIGIN = "https://mess.test";
export const OPERATOR_KEY = "test-operator-key";

/** One call to the Worker, as it comes from outside. */
export const sendRequest = (path: string, init: RequestInit = {}): Promise<Response> =>
  exports.default.fetch(new Request(`${ORIGIN}${path}`, init));

export class Caller {
  readonly actor: string;
  readonly key: string;

  constructor(actor: string, key: string) {
    this.actor = actor;
    this.key = key;
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has("Authorization")) headers.set("Authorization", `Bearer ${this.key}`);
    return sendRequest(path, { ...init, headers });
  }

  /** A body of JSON. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", ...headers },
    });
  }

  /** Blocks to `POST /mess`. */
  postBlocks(...blocks: object[]): Promise<Response> {
    return this.post("/mess", { MESS: blocks });
  }

  /** The JSON answer; a refusal fails the test. */
  async read<T = Answered>(path: string): Promise<T> {
    return (await expectOkJson(await this.fetch(path))) as T;
  }

  /** Asks for something and returns the thread's ref. */
  async createThread(intent: string, more: object = {}): Promise<string> {
    const body = await expectOkJson(await this.postBlocks({ request: { intent, ...more } }));
    return body.MESS[0].ack.ref as string;
  }

  /** Says something to a thread and returns the ack. */
  async appendBlocks(ref: string, ...blocks: object[]): Promise<Answered> {
    const body = await expectOkJson(await this.post(`/thread/${ref}`, { MESS: blocks }));
    return body.ack;
  }

  claim = (ref: string): Promise<Answered> =>
    this.appendBlocks(ref, { status: { code: "claimed" } });
}

/** A JSON answer whose shape the test asserts. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Answered = any;

export async function expectOkJson(response: Response): Promise<Answered> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text);
}

/** The refusal's code with its status: `404 not_found`. */
export async function readRefusal(response: Response): Promise<string> {
  const body = await response.json<{ error?: { code: string } }>();
  return `${response.status} ${body.error?.code ?? "no error"}`;
}

export interface TestHousehold {
  id: string;
  owner: Caller;
  agent: Caller;
  /** A person, who looks and takes photos; a machine, which vacuums; a person who can do nothing special. */
  ann: Caller;
  robo: Caller;
  ben: Caller;
  /** Lets another member in. */
  addMember: (actor: string, role: "owner" | "agent" | "executor") => Promise<Caller>;
}

let made = 0;

/** A household that no other test has seen, made through the API. */
export async function createFreshHousehold(
  settings: { time_zone?: string } = {},
): Promise<TestHousehold> {
  const id = `home-${++made}-${crypto.randomUUID().slice(0, 8)}`;
  const operator = new Caller("operator", OPERATOR_KEY);
  const body = await expectOkJson(await operator.post("/api/v1/households", { id, ...settings }));
  const owner = new Caller(body.owner.id as string, body.owner.key as string);
  const addMember: TestHousehold["addMember"] = async (actor, role) => {
    const { key } = await expectOkJson(await owner.post("/api/v1/keys", { actor, role }));
    return new Caller(actor, key as string);
  };
  const agent = await addMember("scout", "agent");
  const ann = await addMember("ann", "executor");
  const robo = await addMember("robo", "executor");
  const ben = await addMember("ben", "executor");
  await expectOkJson(
    await owner.postBlocks(
      { config: { executor: { id: "ann", capabilities: ["take-photo", "look"] } } },
      { config: { executor: { id: "robo", kind: "machine", capabilities: ["vacuum-floor"] } } },
      { config: { executor: { id: "ben", capabilities: ["carry"] } } },
    ),
  );
  return { id, owner, agent, ann, robo, ben, addMember };
}

/** How many threads the household has made today: the serial that the next one takes tells. Makes that one. */
export async function countThreads(agent: Caller): Promise<number> {
  const ref = await agent.createThread("count the threads");
  return Number(/^\d{4}-\d\d-\d\d-(\d{3,})/.exec(ref)?.[1]) - 1;
}

/** Waits until the check passes: for what follows the record within milliseconds, such as lists. */
export const waitUntil = <T>(check: () => Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 5_000, interval: 10 });
