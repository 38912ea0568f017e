/** Completion of refs and of file names, from what the caller may see. */
import { list, read } from "../../../exchange/exchange.ts";
import type { Stores } from "../../../exchange/with-thread.ts";
import { type Caller, whereFound } from "../caller.ts";

const LOOKED_AT = 100;

/** Refs that begin with what was typed or have it in them, the newest change first. */
export async function completeRef(env: Stores, caller: Caller, typed: string): Promise<string[]> {
  const refs: string[] = [];
  for (const principal of caller.principals) {
    const listed = await list(env, principal, { limit: LOOKED_AT });
    if (listed.ok) refs.push(...listed.value.threads.map(({ ref }) => ref));
  }
  const begins = refs.filter((ref) => ref.startsWith(typed));
  return begins.length > 0 ? begins : refs.filter((ref) => ref.includes(typed));
}

/** Names of the thread's files. */
export async function completeFile(
  env: Stores,
  caller: Caller,
  thread: string | undefined,
  typed: string,
): Promise<string[]> {
  if (thread === undefined) return [];
  const view = await whereFound(caller, undefined, (principal) => read(env, principal, thread));
  if (!view.ok) return [];
  return view.value.attachments.map(({ name }) => name).filter((name) => name.includes(typed));
}
