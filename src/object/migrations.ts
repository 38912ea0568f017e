/** SQL migrations of an object: each one is applied once, in order. */

/** True if the object has the table. Reads the schema, and no rows. */
export const hasTable = (sql: SqlStorage, name: string): boolean =>
  sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name).toArray().length >
  0;

/** Applies the migrations that are missing; all of them in a new object. Runs inside the caller's transaction. */
export function runMigrations(sql: SqlStorage, migrations: readonly string[]): void {
  sql.exec("CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY)");
  const done = sql
    .exec<{ version: number | null }>("SELECT max(version) AS version FROM migrations")
    .one();
  for (let version = (done.version ?? 0) + 1; version <= migrations.length; version++) {
    sql.exec(migrations[version - 1]!);
    sql.exec("INSERT INTO migrations (version) VALUES (?)", version);
  }
}
