/** The households of the deployment, each with the Worker secret under which its secrets are sealed. */
import type { Outcome } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { readIndex } from "./index-timeout.ts";

/** Stores what the household reports about itself. */
export async function reportSealing(
  db: D1Database,
  household: string,
  { sealedWith, unreadable }: { sealedWith: string; unreadable: number },
): Promise<void> {
  await db
    .prepare(
      `INSERT INTO sealed_households (household, sealed_with, unreadable, at) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (household) DO UPDATE SET sealed_with = ?2, unreadable = ?3, at = ?4`,
    )
    .bind(household, sealedWith, unreadable, Date.now())
    .run();
}

export interface SealingProgress {
  /** Households that are listed, or that the index has threads of. */
  total: number;
  /** Households that have not reported the current secret; a part of them by id. */
  pending: number;
  pendingIds: string[];
  /** Households with secrets that neither secret opens; a part of them. */
  unreadable: { household: string; secrets: number }[];
}

/** Households in the order of their ids, each found by one seek: also those that are not in the registry yet. */
const KNOWN_SQL = `WITH RECURSIVE indexed (name) AS (
    SELECT min(household) FROM threads
    UNION ALL
    SELECT (SELECT min(t.household) FROM threads t WHERE t.household > indexed.name)
      FROM indexed WHERE indexed.name IS NOT NULL
  ), known (name) AS (
    SELECT household FROM sealed_households UNION SELECT id FROM households UNION SELECT name FROM indexed WHERE name IS NOT NULL
  )`;

/** @param sealedWith id of the current secret */
export async function readSealingProgress(
  db: D1Database,
  sealedWith: string,
  limit: number,
): Promise<Outcome<SealingProgress>> {
  const pendingSql = `${KNOWN_SQL} SELECT k.name, count(*) OVER () AS pending FROM known k
    LEFT JOIN sealed_households h ON h.household = k.name WHERE h.sealed_with IS NOT ?1 ORDER BY k.name LIMIT ?2`;
  const read = await readIndex(
    db.batch<Record<string, unknown>>([
      db.prepare(`${KNOWN_SQL} SELECT count(*) AS total FROM known`),
      db.prepare(pendingSql).bind(sealedWith, limit),
      db
        .prepare(
          `SELECT household, unreadable AS secrets FROM sealed_households WHERE unreadable > 0
           ORDER BY household LIMIT ?`,
        )
        .bind(limit),
    ]),
  );
  if (!read.ok) return read;
  const [totals, pending, unreadable] = read.value.map(({ results }) => results);
  const rows = (pending ?? []) as unknown as { name: string; pending: number }[];
  return ok({
    total: Number(totals?.[0]?.["total"] ?? 0),
    pending: rows[0]?.pending ?? 0,
    pendingIds: rows.map(({ name }) => name),
    unreadable: (unreadable ?? []) as unknown as SealingProgress["unreadable"],
  });
}
