/** Reads the earlier threads to which a thread's request refers, for its readers while it is open (decision 72). */
import type { EarlierThread, EarlierThreadWithFiles } from "../../contracts/thread-views.ts";
import { logDefect } from "../../log.ts";
import type { Attachment } from "../../mess/envelope.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { InlineFile } from "../../mess/messe-af/resource-documents.ts";
import { splitTarget } from "../../mess/refs.ts";
import { ok } from "../../mess/result.ts";
import { isFinal } from "../../mess/status.ts";
import { getThreadStub } from "../../stubs.ts";
import type { ThreadLog } from "../thread-log.ts";

type ThreadEnv = Pick<Env, "THREADS">;
type Log = Pick<ThreadLog, "getState" | "getSyncState">;

function listTargets(log: Log): string[] {
  const { references = [], status } = log.getState();
  return isFinal(status) ? [] : references;
}

/** A thread that cannot be read is left out: the request itself must stay readable. */
export async function readContextThreads(
  env: ThreadEnv,
  log: Log,
): Promise<Outcome<EarlierThread[]>> {
  const { household } = log.getSyncState();
  const read = await Promise.all(
    listTargets(log).map((target) =>
      readTarget(env, household, target).catch((error: unknown) => {
        logDefect(error, { household });
        return null;
      }),
    ),
  );
  return ok(read.flatMap((one) => (one ? [one.thread] : [])));
}

/** Finds a file among those that the references of the thread include. */
export async function findContextFile(
  env: ThreadEnv,
  log: Log,
  thread: string,
  name: string,
): Promise<Outcome<Attachment | InlineFile>> {
  const { household } = log.getSyncState();
  for (const target of listTargets(log)) {
    if (splitTarget(target).thread !== thread) continue;
    const read = await readTarget(env, household, target);
    const file = read?.files.find((one) => one.name === name);
    if (file) return ok(file);
  }
  return refuse(
    "not_found",
    "file not found",
    "Use a content:// address of a thread to which an open request refers.",
  );
}

function readTarget(
  env: ThreadEnv,
  household: string,
  target: string,
): Promise<EarlierThreadWithFiles | null> {
  const { thread, message: part } = splitTarget(target);
  return getThreadStub(env, household, thread).readAsContext(part);
}
