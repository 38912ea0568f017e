/** A group of agents in the household of a started exchange, each with a key of its own. */
import { createClient, type Client } from "../../scripts/lib/client.ts";
import type { RespondStage } from "./respond-setup.ts";

export interface TestAgent {
  client: Client;
  id: string;
}

export interface TestAgentGroup {
  id: string;
  boss: TestAgent;
  indy: TestAgent;
  send: (from: TestAgent, to: TestAgent, content: string, more?: object) => Promise<void>;
  /** What the agent has not read, in the order in which it should read it. */
  readUnread: (agent: TestAgent) => Promise<Record<string, unknown>[]>;
}

export async function createAgentGroup(
  { owner, origin }: RespondStage,
  topic: string,
): Promise<TestAgentGroup> {
  const addAgent = async (): Promise<Client> => {
    const actor = `agent-${crypto.randomUUID().slice(0, 8)}`;
    const { key } = await owner.post<{ key: string }>("/api/v1/keys", { actor, role: "agent" });
    return createClient(origin, key);
  };
  const [boss, indy] = [await addAgent(), await addAgent()];
  const made = await boss.post<{ group_id: string; my_id: string }>("/groups", {
    topic,
    my_name: "boss",
  });
  const id = made.group_id;
  const joined = await indy.post<{ my_id: string }>(`/groups/${id}/members`, { my_name: "indy" });
  return {
    id,
    boss: { client: boss, id: made.my_id },
    indy: { client: indy, id: joined.my_id },
    send: async (from, to, content, more = {}) => {
      await from.client.post(`/groups/${id}/messages`, { to_id: to.id, content, ...more });
    },
    readUnread: async ({ client }) => {
      const { messages } = await client.get<{ messages: Record<string, unknown>[] }>(
        `/groups/${id}/messages?unread=true`,
      );
      return messages;
    },
  };
}
