/** Calls the tools for AI groups, and prepares groups with two members. */
import { createFreshHousehold, type TestHousehold } from "../../support.ts";
import { createToolClient } from "../tool-client.ts";

export const GROUPS = { path: "/mcp/groups" };

export const { useTool, useFields, readCode } = createToolClient(GROUPS.path);

export interface Pair extends TestHousehold {
  group: string;
  /** The id of `agent`, who leads the group, and of `ann`, who works in it. */
  ops: string;
  worker: string;
}

/** A group in which `agent` is the ops and `ann` an agent. */
export async function createPair(): Promise<Pair> {
  const home = await createFreshHousehold();
  const made = await useFields(home.agent, "initiate", { topic: "Project X", my_name: "lead" });
  const group = made.group_id as string;
  const joined = await useFields(home.ann, "join", { group_id: group, my_name: "indy" });
  return { ...home, group, ops: made.my_id as string, worker: joined.my_id as string };
}

/** Sends a text from the ops to the worker. */
export const sendToWorker = async (
  { agent, group, ops, worker }: Pair,
  content: string,
  more: object = {},
): Promise<string> => {
  const args = { group_id: group, my_id: ops, to_id: worker, content, ...more };
  return (await useFields(agent, "send", args)).id as string;
};
