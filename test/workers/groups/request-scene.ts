/** An AI group of one agent in a household with people and a robot, over HTTP. */
import { type Answered, type Caller, expectOkJson, waitUntil } from "../support.ts";
import { createRobotHousehold, type RobotHousehold } from "../robots/support.ts";
import { expect } from "vitest";

export interface RequestScene extends RobotHousehold {
  /** The primary ops of the group, whose key is the agent's. */
  ops: Caller;
  group: string;
  me: string;
  send: (to: string, content: string, more?: object) => Promise<Answered>;
  trySend: (to: string, content: string, more?: object) => Promise<Response>;
  /** The history with the other member, oldest first. */
  readChannel: (other: string) => Promise<Answered[]>;
  /** Waits until the other member has sent a message of the type. */
  waitForMessage: (other: string, type: string, after?: number) => Promise<Answered>;
  readTask: (id: string) => Promise<Answered>;
}

export async function openRequestScene(): Promise<RequestScene> {
  const home = await createRobotHousehold();
  const ops = home.agent;
  const made = await expectOkJson(await ops.post("/groups", { topic: "The kitchen" }));
  const group = made.group_id as string;
  const trySend: RequestScene["trySend"] = (to, content, more = {}) =>
    ops.post(`/groups/${group}/messages`, { to_id: to, content, ...more });
  const readChannel: RequestScene["readChannel"] = async (other) => {
    const page = await ops.read(`/groups/${group}/messages?with=${other}&limit=50&peek=true`);
    return (page.messages as Answered[]).toReversed();
  };
  return {
    ...home,
    ops,
    group,
    me: made.my_id as string,
    trySend,
    send: async (to, content, more) => await expectOkJson(await trySend(to, content, more)),
    readChannel,
    waitForMessage: (other, type, after = 0) =>
      waitUntil(async () => {
        const found = (await readChannel(other)).find(
          (message) => message.from === other && message.type === type && message.seq > after,
        );
        expect(found).toBeDefined();
        return found;
      }),
    readTask: async (id) =>
      (await readChannelMessages(ops, group)).find((message) => message.id === id),
  };
}

const readChannelMessages = async (ops: Caller, group: string): Promise<Answered[]> =>
  (await ops.read(`/groups/${group}/messages?limit=50&peek=true`)).messages;
