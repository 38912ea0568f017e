/** Helpers for tests over HTTP: a separate household for each test, and its members as callers. */
import { exports } from "cloudflare:workers";
import { vi } from "vitest";
import type { Role } from "../../src/auth/principal.ts";

export const ORIGIN = "https://mess.test";
export const OPERATOR_KEY = "test-operator-key";

/** Sends a call to the Worker, as from outside. */
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

  /** Sends a JSON body. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", ...headers },
    });
  }

  /** Sends blocks to `POST /mess`. */
  postBlocks(...blocks: object[]): Promise<Response> {
    return this.post("/mess", { MESS: blocks });
  }

  /** Reads JSON; throws on a refusal. */
  async read<T = Answered>(path: string): Promise<T> {
    return (await expectOkJson(await this.fetch(path))) as T;
  }

  /** Creates a request and returns the thread's ref. */
  async createThread(intent: string, more: object = {}): Promise<string> {
    const body = await expectOkJson(await this.postBlocks({ request: { intent, ...more } }));
    return body.MESS[0].ack.ref as string;
  }

  /** Appends a message to a thread and returns the ack. */
  async appendBlocks(ref: string, ...blocks: object[]): Promise<Answered> {
    const body = await expectOkJson(await this.post(`/thread/${ref}`, { MESS: blocks }));
    return body.ack;
  }

  claim = (ref: string): Promise<Answered> =>
    this.appendBlocks(ref, { status: { code: "claimed" } });
}

/** A JSON response whose structure the test asserts. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Answered = any;

export async function expectOkJson(response: Response): Promise<Answered> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text);
}

/** The refusal's status and code: `404 not_found`. */
export async function readRefusal(response: Response): Promise<string> {
  const isPlain = response.headers.get("Content-Type")?.startsWith("text/plain");
  const code = isPlain
    ? /^error: ([a-z_]+): [^\n]+\n$/.exec(await response.text())?.[1]
    : (await response.json<{ error?: { code: string } }>()).error?.code;
  return `${response.status} ${code ?? "no error"}`;
}

export interface TestHousehold {
  id: string;
  owner: Caller;
  agent: Caller;
  /** A person who observes and takes photos, a machine that vacuums, and a person without special capabilities. */
  ann: Caller;
  robo: Caller;
  ben: Caller;
  /** Adds another member. */
  addMember: (actor: string, role: Role) => Promise<Caller>;
}

/** All households so far, with those of earlier test files in the same workerd. */
export const householdIds = new Set<string>();

/** Whether an object, by its name, belongs to a household of a test. */
export const isOfHousehold = (object: string, households: ReadonlySet<string>): boolean =>
  households.has(object.split("/")[0]!);

/** Creates a household through the API that no other test uses. */
export async function createFreshHousehold(
  settings: { time_zone?: string } = {},
): Promise<TestHousehold> {
  const id = `home-${householdIds.size + 1}-${crypto.randomUUID().slice(0, 8)}`;
  householdIds.add(id);
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

/** Counts the threads that the household created today by creating one, whose serial is the count. */
export async function countThreads(agent: Caller): Promise<number> {
  const ref = await agent.createThread("count the threads");
  return Number(/^\d{4}-\d\d-\d\d-(\d{3,})/.exec(ref)?.[1]) - 1;
}

/** A header with an address of its own: attempts are limited by address, over all files that share a workerd. */
export const buildAddressHeader = (): Record<string, string> => {
  const [network, subnet] = crypto.randomUUID().match(/[0-9a-f]{4}/g)!;
  return { "CF-Connecting-IP": `2001:db8:${network}:${subnet}::1` };
};

/** Waits until the check passes, for data that lags behind the threads, such as lists. */
export const waitUntil = <T>(check: () => Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 15_000, interval: 10 });
