/**
 * The list of all households. Derived: each household lists itself once a day, so a lost list is complete again after a
 * day.
 */
import { withTimeout } from "../object/with-timeout.ts";

/** The first household is late if there are threads: then the list is new in a deployment that has other households. */
const LIST_SQL = `INSERT INTO households (id, listed, late)
  SELECT ?1, ?2, ?3 OR (EXISTS (SELECT 1 FROM threads) AND NOT EXISTS (SELECT 1 FROM households))
  WHERE true ON CONFLICT DO NOTHING`;

/**
 * The list is incomplete while it is empty, and for two days after a household was listed late: the others follow
 * within a day.
 */
const FIND_SQL = `SELECT EXISTS (SELECT 1 FROM households WHERE id = ?1) AS listed,
    NOT EXISTS (SELECT 1 FROM households)
      OR EXISTS (SELECT 1 FROM households WHERE late = 1 AND listed > ?2) AS incomplete`;

const COMPLETION_MS = 2 * 86_400_000;
const LOOKUP_TIMEOUT_MS = 1_000;

/** Lists the household. Repeating it has no effect. @param isNew false for a household that existed before */
export async function listHousehold(
  db: D1Database,
  household: string,
  isNew: boolean,
  now: number,
): Promise<void> {
  await db
    .prepare(LIST_SQL)
    .bind(household, now, isNew ? 0 : 1)
    .run();
}

/** Ids of listed households in alphabetical order, after one of them. Throws if D1 fails or takes too long. */
export async function listHouseholdIds(
  db: D1Database,
  after: string,
  limit: number,
): Promise<string[]> {
  const query = db.prepare("SELECT id FROM households WHERE id > ? ORDER BY id LIMIT ?");
  const { results } = await withTimeout(
    LOOKUP_TIMEOUT_MS,
    query.bind(after, limit).all<{ id: string }>(),
  );
  return results.map(({ id }) => id);
}

/** Looks a household up; `unknown` while the list is incomplete. Throws if D1 fails or takes too long. */
export async function findHousehold(
  db: D1Database,
  household: string,
  now: number,
): Promise<"listed" | "unknown" | "absent"> {
  const query = db.prepare(FIND_SQL).bind(household, now - COMPLETION_MS);
  const row = await withTimeout(
    LOOKUP_TIMEOUT_MS,
    query.first<{ listed: number; incomplete: number }>(),
  );
  if (row?.listed === 1) return "listed";
  return row?.incomplete === 1 ? "unknown" : "absent";
}
