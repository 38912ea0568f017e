/** Long waits of tools: with fast timers, with progress, and as tasks. */
import { vi } from "vitest";
import type { Caller } from "../support.ts";
import { buildModernRequest, callRpc, readStream, type Rpc, TASKS } from "./support.ts";

export const WITH_TASKS = { extensions: { [TASKS]: {} } };

/**
 * Makes timers a thousand times faster. Faked ones would run in the wrong context of workerd.
 * @returns the milliseconds of the timers that were set, also by the jobs of other tests
 */
export function speedUp(name: "setTimeout" | "setInterval"): number[] {
  const delays: number[] = [];
  const real = globalThis[name].bind(globalThis) as (run: () => void, delay?: number) => number;
  vi.spyOn(globalThis, name).mockImplementation(((run: () => void, delay = 0) => {
    delays.push(delay);
    return real(run, delay / 1_000);
  }) as never);
  return delays;
}

/** Opens a wait of 600 seconds with a progress token; returns its stream. */
export async function openProgress(caller: Caller, path: string) {
  const request = buildModernRequest(
    "tools/call",
    { name: "wait", arguments: { timeout: 600 } },
    { meta: { progressToken: "p1" }, capabilities: WITH_TASKS },
  );
  return readStream(await caller.fetch(path, request));
}

/** Calls a waiting tool as a client that takes a task in place of the result. */
export async function startTask(
  caller: Caller,
  { name, path, args = {} }: { name: string; path: string; args?: object },
) {
  const call = { name, arguments: { timeout: 120, ...args } };
  return (await callRpc(caller, "tools/call", call, { path, capabilities: WITH_TASKS })).result;
}

export function callTask(
  caller: Caller,
  method: "get" | "cancel" | "update",
  taskId: string,
  path: string,
): Promise<Rpc> {
  const more = method === "update" ? { inputResponses: {} } : {};
  const options = { path, capabilities: WITH_TASKS };
  return callRpc(caller, `tasks/${method}`, { taskId, ...more }, options);
}
