/** Counts billed operations at the bindings: requests to Durable Objects, rows, R2 operations. */
import type { Counters } from "./billed-operations.ts";

const NO_OPERATIONS: Counters = {
  object_requests: 0,
  object_rows_read: 0,
  object_rows_written: 0,
  d1_rows_read: 0,
  d1_rows_written: 0,
  r2_writes: 0,
  r2_reads: 0,
};

let isCountingEnabled = false;
let total: Counters = { ...NO_OPERATIONS };
/** Open cursors: a cursor knows its row counts only after it was read, so they are added when the counters are read. */
let cursors: { writer: string; cursor: SqlStorageCursor<Record<string, SqlStorageValue>> }[] = [];
/** Rows written, by the statement that wrote them. */
let writers: Record<string, number> = {};

const addWrites = (writer: string, rows: number): void => {
  if (rows > 0) writers[writer] = (writers[writer] ?? 0) + rows;
};

/** Rows written so far: by store, verb and table. */
export function readWriters(): Record<string, number> {
  readCounters();
  return writers;
}

const nameWriter = (store: string, query: string): string => {
  const [, verb, table] =
    /(INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM|CREATE TABLE(?: IF NOT EXISTS)?) (\w+)/.exec(
      query,
    ) ?? [];
  return `${store} ${verb ?? query.slice(0, 60)} ${table ?? ""}`;
};

export function readCounters(): Counters {
  for (const { writer, cursor } of cursors) {
    total.object_rows_read += cursor.rowsRead;
    total.object_rows_written += cursor.rowsWritten;
    addWrites(writer, cursor.rowsWritten);
  }
  cursors = [];
  return total;
}

/** False until the first reset, so that benchmarks without counters are not slowed down. */
export const isCounting = (): boolean => isCountingEnabled;

/** Starts counting. Objects created before the first reset are not counted, so reset before the household is created. */
export function resetCounters(): void {
  total = { ...NO_OPERATIONS };
  cursors = [];
  writers = {};
  isCountingEnabled = true;
}

/** Each run of an alarm is billed as a request. */
export const countAlarm = (): void => void total.object_requests++;

/** Setting an alarm is billed as one written row. */
export function countStorage(store: string, storage: DurableObjectStorage): void {
  if (!isCountingEnabled) return;
  countSql(store, storage.sql);
  const setAlarm = storage.setAlarm.bind(storage);
  storage.setAlarm = (at) => {
    total.object_rows_written++;
    addWrites(`${store} setAlarm`, 1);
    return setAlarm(at);
  };
}

function countSql(store: string, sql: SqlStorage): void {
  const exec = sql.exec.bind(sql);
  sql.exec = ((query: string, ...bindings: SqlStorageValue[]) => {
    // A cursor counts the last of several statements only, so that those of a migration run one by one.
    const statements = bindings.length > 0 ? [query] : query.split(/;\s*(?=\S)/);
    const counted = statements.map((statement) => {
      const cursor = exec(statement, ...bindings);
      cursors.push({ writer: nameWriter(store, statement), cursor });
      return cursor;
    });
    return counted.at(-1)!;
  }) as typeof sql.exec;
}

/** Wraps the methods of a binding: `onCall` gets the name and result of each call, and may replace the result. */
function watchMethods<T extends object>(
  binding: T,
  onCall: (method: string, result: unknown) => unknown,
): T {
  return new Proxy(binding, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(value, target, args);
        return onCall(String(key), result) ?? result;
      };
    },
  });
}

export const countObjects = <T extends object>(namespace: T): T =>
  watchMethods(namespace, (method, stub) =>
    method === "getByName"
      ? watchMethods(stub as object, () => void total.object_requests++)
      : undefined,
  );

const addMeta = (result: { meta: { rows_read: number; rows_written: number } }): void => {
  total.d1_rows_read += result.meta.rows_read;
  total.d1_rows_written += result.meta.rows_written;
  addWrites("index", result.meta.rows_written);
};

const watchStatement = (statement: D1PreparedStatement): D1PreparedStatement =>
  watchMethods(statement, (method, result) => {
    if (method === "bind") return watchStatement(result as D1PreparedStatement);
    return (result as Promise<D1Result>).then((answer) => {
      if (answer && typeof answer === "object" && "meta" in answer) addMeta(answer);
      return answer;
    });
  });

export const countDatabase = (database: D1Database): D1Database =>
  watchMethods(database, (method, result) => {
    if (method === "prepare") return watchStatement(result as D1PreparedStatement);
    if (method !== "batch") return undefined;
    return (result as Promise<D1Result[]>).then((answers) => {
      for (const answer of answers) addMeta(answer);
      return answers;
    });
  });

export const countBucket = (bucket: R2Bucket): R2Bucket =>
  watchMethods(bucket, (method) => {
    if (method === "get" || method === "head") total.r2_reads++;
    if (method === "put" || method === "list") total.r2_writes++;
    return undefined;
  });
