/** Deletes a thread, for an owner. Run it in one transaction; a job then empties the thread's object. */
import { refuseThreadNotFound } from "../../auth/thread-not-found.ts";
import type { AuditSource } from "../../contracts/audit.ts";
import type { Outcome } from "../../mess/errors.ts";
import { parseThreadRef } from "../../mess/refs.ts";
import { ok } from "../../mess/result.ts";
import { isFinal } from "../../mess/status.ts";
import type { Stores } from "../stores.ts";
import type { DeletedThread } from "./deleted-threads.ts";
import { resolveTarget } from "./resolve-target.ts";

/**
 * A repeated call returns what the first one did. `last` and the sender's own ids are not accepted: repeated, they would
 * name another thread.
 */
export function deleteThread(
  stores: Stores,
  target: string,
  source: AuditSource,
  now: number,
): Outcome<DeletedThread> {
  const { deletedThreads, threadCatalog, dependencies, jobs, audit } = stores;
  const before = deletedThreads.find(target);
  if (before) return ok(before);
  if (!parseThreadRef(target)) return refuseThreadNotFound();
  const resolved = resolveTarget(stores, { actor: source.actor, role: "owner" }, target);
  if (!resolved.ok) return resolved;
  const ref = resolved.value;
  const row = threadCatalog.get(ref);
  // Nothing else would end the wait of the threads that depend on it.
  if (row && !isFinal(row.status)) dependencies.notifyDependents(ref, "cancelled", now);
  // Requests that joined it would wait for its answer.
  for (const joined of stores.observations.takeUnnotified(ref)) {
    const message =
      "The request that this one had joined was deleted. Send the request again if you still need the answer.";
    const notice = { key: `joined ${ref}`, joined: ref, message };
    jobs.add("say", `answer ${joined}`, { ref: joined, message: notice }, now);
  }
  const deleted = deletedThreads.add(ref, now);
  threadCatalog.counts.clearCache();
  jobs.add("deleteThread", `deleteThread ${ref}`, { ref }, now);
  audit.append({ action: "thread_deleted", source, target: ref }, now);
  return ok(deleted);
}
