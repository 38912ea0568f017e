/** An AI group of one agent in a household with people and a robot, over HTTP. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
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

/** The agent's credential, as the group has it. */
export async function readSender({ id, group }: RequestScene): Promise<{ credential: string }> {
  return await runInDurableObject(
    env.GROUPS.getByName(`${id}/${group}`),
    (_object, { storage }) => {
      const { record } = storage.sql.exec<{ record: string }>("SELECT record FROM record").one();
      return (JSON.parse(record) as { members: [{ credential: string }] }).members[0];
    },
  );
}

/** Runs the job of a message again, as after a crash before its end was recorded. */
export async function repeatJob(scene: RequestScene, seq: number): Promise<void> {
  const { credential } = await readSender(scene);
  const object = env.GROUPS.getByName(`${scene.id}/${scene.group}`);
  await runInDurableObject(object, (_object, { storage }) => {
    const payload = { seq, actor: scene.agent.actor, role: "agent", credential };
    storage.sql.exec(
      "INSERT INTO jobs (queue, kind, payload, due) VALUES ('again', 'post', ?, 0)",
      JSON.stringify(payload),
    );
  });
  await runInDurableObject(object, (instance) => instance.alarm());
}
