/** Calls the tools for AI groups, and prepares groups with two members. */
import { type Caller, createFreshHousehold, type TestHousehold } from "../../support.ts";
import { callLegacy, callTool, type ToolAnswer } from "../support.ts";

export const GROUPS = { path: "/mcp/groups" };

export type Era = "2026" | "2025";
export const ERAS: readonly Era[] = ["2026", "2025"];

/** A tool's result with the fields of its structured part. */
export interface GroupAnswer {
  text: string;
  isError: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any
  fields: any;
}

const toGroupAnswer = ({ text, isError, result }: ToolAnswer): GroupAnswer => ({
  text,
  isError,
  fields: result.structuredContent,
});

/** Calls a tool at `/mcp/groups` as a client of the protocol's generation. */
export async function useTool(
  caller: Caller,
  name: string,
  args: object = {},
  era: Era = "2026",
): Promise<GroupAnswer> {
  if (era === "2026") return toGroupAnswer(await callTool(caller, name, args, GROUPS));
  const params = { name, arguments: args };
  const { result, error } = await callLegacy(caller, "tools/call", params, {}, GROUPS.path);
  if (error) throw new Error(`${error.code} ${error.message}`);
  const [{ text }] = result.content as [{ text: string }];
  return toGroupAnswer({ text, isError: result.isError === true, result });
}

/** The fields of a result that must not be an error. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function useFields(...args: Parameters<typeof useTool>): Promise<any> {
  const { text, isError, fields } = await useTool(...args);
  if (isError) throw new Error(text);
  return fields;
}

/** The error code with which a tool refuses. */
export async function readCode(...args: Parameters<typeof useTool>): Promise<string> {
  const { text, isError } = await useTool(...args);
  return isError ? (/^\w+/.exec(text)?.[0] ?? "no code") : "no error";
}

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
