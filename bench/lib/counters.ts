/** What Cloudflare bills, counted at the bindings: requests to objects, rows, R2 operations. */

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
/** A cursor knows what it has read only once it is used up: they are asked when the counters are. */
let cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];

export function readCounters(): Counters {
  for (const cursor of cursors) {
    total.object_rows_read += cursor.rowsRead;
    total.object_rows_written += cursor.rowsWritten;
  }
  cursors = [];
  return total;
}

/** Objects that were made before counting began are not counted: a bench that does not count does not pay for it. */
export const isCounting = (): boolean => isCountingEnabled;

/** Counting begins with the first reset, which therefore comes before a bench's household is made. */
export function resetCounters(): void {
  total = { ...NO_OPERATIONS };
  cursors = [];
  isCountingEnabled = true;
}

/** An alarm that runs is a request. */
export const countAlarm = (): void => void total.object_requests++;

/** Setting an alarm is a row written. */
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

/** Every method of a binding, with `onCall` told of each call and of what it resolves to. */
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
