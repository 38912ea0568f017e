/** Calls the tools of an address as clients of both generations of the protocol. */
import type { Caller } from "../support.ts";
import { callLegacy, callTool, type ToolAnswer } from "./support.ts";

type Era = "2026" | "2025";
export const ERAS: readonly Era[] = ["2026", "2025"];

/** A tool's result with its structured part. */
interface StructuredAnswer {
  text: string;
  isError: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any
  fields: any;
  // oxlint-disable-next-line typescript/no-explicit-any
  content: any[];
}

type ToolArguments = [caller: Caller, name: string, args?: object, era?: Era];

export function createToolClient(path: string) {
  const useTool = async (
    ...[caller, name, args = {}, era = "2026"]: ToolArguments
  ): Promise<StructuredAnswer> => {
    const { text, isError, result } =
      era === "2026"
        ? await callTool(caller, name, args, { path })
        : await callLegacyTool(path, caller, name, args);
    return { text, isError, fields: result.structuredContent, content: result.content };
  };

  /** The fields of a result that must not be an error. */
  // oxlint-disable-next-line typescript/no-explicit-any
  const useFields = async (...args: ToolArguments): Promise<any> => {
    const { text, isError, fields } = await useTool(...args);
    if (isError) throw new Error(text);
    return fields;
  };

  /** The error code with which a tool refuses. */
  const readCode = async (...args: ToolArguments): Promise<string> => {
    const { text, isError } = await useTool(...args);
    return isError ? (/^\w+/.exec(text)?.[0] ?? "no code") : "no error";
  };

  return { useTool, useFields, readCode };
}

async function callLegacyTool(
  path: string,
  caller: Caller,
  name: string,
  args: object,
): Promise<ToolAnswer> {
  const params = { name, arguments: args };
  const { result, error } = await callLegacy(caller, "tools/call", params, {}, path);
  if (error) throw new Error(`${error.code} ${error.message}`);
  const [{ text }] = result.content as [{ text: string }];
  return { text, isError: result.isError === true, result };
}
