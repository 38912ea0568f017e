/**
 * Tables that an object makes with their first row. Most objects need few of them, and a table that is made costs two
 * rows written. A read of a table that was not made finds nothing.
 */
type Row = Record<string, SqlStorageValue>;

export class OptionalTables<Name extends string> {
  readonly #sql: SqlStorage;
  readonly #schemas: Readonly<Record<Name, string>>;
  #made: Set<string> | undefined;

  /** @param schemas the statements that make each table, in its newest form */
  constructor(sql: SqlStorage, schemas: Readonly<Record<Name, string>>) {
    this.#sql = sql;
    this.#schemas = schemas;
  }

  /** Call this when a transaction that wrote here was rolled back. */
  clearCache(): void {
    this.#made = undefined;
  }

  isMade(name: Name): boolean {
    this.#made ??= new Set(
      this.#sql
        .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
        .toArray()
        .map((table) => table.name),
    );
    return this.#made.has(name);
  }

  /** Runs a statement that reads rows, or changes rows that exist. */
  run<T extends Row>(name: Name, query: string, ...values: SqlStorageValue[]): T[] {
    return this.isMade(name) ? this.#sql.exec<T>(query, ...values).toArray() : [];
  }

  /** Runs a statement that adds a row; makes the table first where that is needed. */
  insert<T extends Row>(name: Name, query: string, ...values: SqlStorageValue[]): T[] {
    if (!this.isMade(name)) {
      this.#sql.exec(this.#schemas[name]);
      this.#made!.add(name);
    }
    return this.#sql.exec<T>(query, ...values).toArray();
  }
}
