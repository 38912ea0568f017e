/** Completes refs and file names from the threads that the caller may see. */
import { listThreads, readThread } from "../../../exchange/exchange.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import { type McpCaller, findInHouseholds } from "../caller.ts";

const MAX_COMPLETED_THREADS = 100;

/** Refs that begin with the typed text or contain it, most recently changed first. */
export async function completeRef(
  env: ExchangeBindings,
  caller: McpCaller,
  typed: string,
): Promise<string[]> {
  const refs: string[] = [];
  for (const principal of caller.principals) {
    const listed = await listThreads(env, principal, { limit: MAX_COMPLETED_THREADS });
    if (listed.ok) refs.push(...listed.value.threads.map(({ ref }) => ref));
  }
  const prefixMatches = refs.filter((ref) => ref.startsWith(typed));
  return prefixMatches.length > 0 ? prefixMatches : refs.filter((ref) => ref.includes(typed));
}

/** Names of the thread's files. */
export async function completeFile(
  env: ExchangeBindings,
  caller: McpCaller,
  thread: string | undefined,
  typed: string,
): Promise<string[]> {
  if (thread === undefined) return [];
  const view = await findInHouseholds(caller, undefined, (principal) =>
    readThread(env, principal, thread),
  );
  if (!view.ok) return [];
  return view.value.attachments.map(({ name }) => name).filter((name) => name.includes(typed));
}
