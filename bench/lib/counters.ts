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
let cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];

export function readCounters(): Counters {
  for (const cursor of cursors) {
    total.object_rows_read += cursor.rowsRead;
    total.object_rows_written += cursor.rowsWritten;
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
  isCountingEnabled = true;
}

/** Each run of an alarm is billed as a request. */
export const countAlarm = (): void => void total.object_requests++;

/** Setting an alarm is billed as one written row. */
export function countStorage(storage: DurableObjectStorage): void {
  if (!isCountingEnabled) return;
  countSql(storage.sql);
  const setAlarm = storage.setAlarm.bind(storage);
  storage.setAlarm = (at) => {
    total.object_rows_written++;
    return setAlarm(at);
  };
}

function countSql(sql: SqlStorage): void {
  const exec = sql.exec.bind(sql);
  sql.exec = ((query: string, ...bindings: SqlStorageValue[]) => {
    const cursor = exec(query, ...bindings);
    cursors.push(cursor);
    return cursor;
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
  watchMethods(database, (method, result) =>
    method === "prepare" ? watchStatement(result as D1PreparedStatement) : undefined,
  );

export const countBucket = (bucket: R2Bucket): R2Bucket =>
  watchMethods(bucket, (method) => {
    if (method === "get" || method === "head") total.r2_reads++;
    if (method === "put" || method === "list") total.r2_writes++;
    return undefined;
  });
