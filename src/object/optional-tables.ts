/**
 * Tables that an object creates together with their first row. Most objects need few of them, and creating a table is
 * billed as two rows written. A read from a table that does not exist returns no rows.
 */
type Row = Record<string, SqlStorageValue>;

export class OptionalTables<Name extends string> {
  readonly #sql: SqlStorage;
  readonly #schemas: Readonly<Record<Name, string>>;
  #made: Set<string> | undefined;

  /** @param schemas the statements that create each table, in its newest version */
  constructor(sql: SqlStorage, schemas: Readonly<Record<Name, string>>) {
    this.#sql = sql;
    this.#schemas = schemas;
  }

  /** Call this when a transaction that wrote here was rolled back. */
  clearCache(): void {
    this.#made = undefined;
  }

  /** Runs statements that create tables. */
  create(statements: string): void {
    this.#sql.exec(statements);
    this.clearCache();
  }

  /** True if the object has the table, whether it is optional or not. */
  has(name: string): boolean {
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
    return this.has(name) ? this.#sql.exec<T>(query, ...values).toArray() : [];
  }

  /** Creates the table if it does not exist. */
  ensure(name: Name): void {
    if (!this.has(name)) this.create(this.#schemas[name]);
  }

  /** Runs a statement that adds a row, and creates the table first if it does not exist. */
  insert<T extends Row>(name: Name, query: string, ...values: SqlStorageValue[]): T[] {
    this.ensure(name);
    return this.#sql.exec<T>(query, ...values).toArray();
  }
}
