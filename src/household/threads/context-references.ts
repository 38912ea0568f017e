/** The threads to which the contexts of open requests refer, so that their readers can be found (decision 72). */
import { splitTarget } from "../../mess/refs.ts";
import { listReferences, mapReferences } from "../../mess/wire/content/context-references.ts";
import type { Request } from "../../mess/wire/schema.ts";
import type { Stores } from "../stores.ts";
import type { Viewer } from "../identity/effective-role.ts";
import { resolveTarget } from "./resolve-target.ts";

/** Referring threads that are tried for one read. */
const MAX_REFERRERS = 20;

export class ContextReferences {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** @param targets `{thread}` or `{thread}/{part}` */
  add(ref: string, targets: readonly string[]): void {
    for (const target of new Set(targets.map((one) => splitTarget(one).thread)))
      this.#sql.exec(
        "INSERT OR IGNORE INTO context_references (target, ref) VALUES (?, ?)",
        target,
        ref,
      );
  }

  /** Lists the threads to which those with these refs refer. */
  listTargets(refs: readonly string[]): string[] {
    return this.#sql
      .exec<{ target: string }>(
        "SELECT DISTINCT target FROM context_references WHERE ref IN (SELECT value FROM json_each(?))",
        JSON.stringify(refs),
      )
      .toArray()
      .map(({ target }) => target);
  }

  /** Lists the open threads that refer to the target, newest first. */
  findReferrers(target: string): string[] {
    return this.#sql
      .exec<{ ref: string }>(
        `SELECT c.ref FROM context_references c JOIN threads t ON t.ref = c.ref
         WHERE c.target = ? AND (t.open = 1 OR t.status = 'partial') ORDER BY c.ref DESC LIMIT ?`,
        target,
        MAX_REFERRERS,
      )
      .toArray()
      .map(({ ref }) => ref);
  }
}

export interface ReferenceRights {
  /** With whose rights a reference is resolved, in this order. */
  readonly viewers: readonly Viewer[];
  /** Threads whose requestor has agreed that the new one refers to them. */
  readonly granted: readonly string[];
}

/** Resolves the references of a request that the household creates. One that cannot be resolved stays a text. */
export function resolveStoredReferences(
  stores: Stores,
  { viewers, granted }: ReferenceRights,
  request: Request,
): { request: Request; references: string[] } {
  const { context } = request;
  if (!context || listReferences(context).length === 0) return { request, references: [] };
  const references = new Set<string>();
  const resolved = mapReferences(context, ({ thread, part }) => {
    const target = part === undefined ? thread : `${thread}/${part}`;
    const found = granted.includes(thread)
      ? target
      : viewers.map((viewer) => resolveTarget(stores, viewer, target)).find((one) => one.ok)?.value;
    if (found !== undefined) references.add(found);
    return found ?? target;
  });
  return { request: { ...request, context: resolved }, references: [...references] };
}
