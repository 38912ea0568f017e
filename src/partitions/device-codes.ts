/** Programs that wait until a person lets them sign in, in D1, since no household is known until then. */
import type { DeviceAccess, DeviceDecision, WaitingDevice } from "../contracts/device-codes.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { readIndex } from "./index-timeout.ts";

export const DEVICE_CODE_LIFETIME_MS = 15 * 60_000;
/** The time between two questions of a program; a faster one is told to slow down. */
export const POLL_INTERVAL_SECONDS = 3;

async function query<T>(reading: Promise<T>): Promise<Outcome<T>> {
  const result = await readIndex(reading);
  return result.ok
    ? result
    : refuse(
        "index_unavailable",
        "programs cannot sign in at the moment",
        "Try again in a few seconds.",
      );
}

/** Stores the program, and deletes expired ones. @param device SHA-256 of its secret */
export const addDevice = (
  db: D1Database,
  device: string,
  { user_code, client, address }: WaitingDevice,
  now: number,
): Promise<Outcome<unknown>> =>
  query(
    db.batch([
      db.prepare("DELETE FROM device_codes WHERE expires <= ?").bind(now),
      db
        .prepare(
          "INSERT INTO device_codes (device, user_code, client, address, expires) VALUES (?, ?, ?, ?, ?)",
        )
        .bind(device, user_code, client, address, now + DEVICE_CODE_LIFETIME_MS),
    ]),
  );

/** The program that waits with this code; null if there is none, or a person has decided. */
export const findDevice = (
  db: D1Database,
  userCode: string,
  now: number,
): Promise<Outcome<WaitingDevice | null>> =>
  query(
    db
      .prepare(
        "SELECT user_code, client, address FROM device_codes WHERE user_code = ? AND expires > ? AND decision IS NULL",
      )
      .bind(userCode, now)
      .first<WaitingDevice>(),
  );

/** Records the first decision. Returns null if the code is unknown or a person has decided before. */
export const decideDevice = (
  db: D1Database,
  userCode: string,
  decision: DeviceDecision,
  now: number,
): Promise<Outcome<unknown>> =>
  query(
    db
      .prepare(
        "UPDATE device_codes SET decision = ? WHERE user_code = ? AND expires > ? AND decision IS NULL RETURNING 1",
      )
      .bind(decision === "denied" ? decision : JSON.stringify(decision), userCode, now)
      .first(),
  );

/**
 * What the program learns when it asks. A decision is deleted with the row, so that it is used once, also by concurrent
 * calls.
 */
export async function takeDecision(
  db: D1Database,
  device: string,
  now: number,
): Promise<Outcome<DeviceDecision | "pending" | "too_fast" | "unknown">> {
  const allowedPoll = now - POLL_INTERVAL_SECONDS * 1_000;
  const taken = await query(
    db.batch<{ decision?: string }>([
      db
        .prepare(
          "DELETE FROM device_codes WHERE device = ?1 AND expires > ?2 AND decision IS NOT NULL RETURNING decision",
        )
        .bind(device, now),
      db
        .prepare(
          "UPDATE device_codes SET polled = ?2 WHERE device = ?1 AND expires > ?2 AND polled <= ?3 RETURNING 1",
        )
        .bind(device, now, allowedPoll),
      db.prepare("SELECT 1 FROM device_codes WHERE device = ? AND expires > ?").bind(device, now),
    ]),
  );
  if (!taken.ok) return taken;
  const [decided, polled, known] = taken.value.map(({ results }) => results);
  const decision = decided?.[0]?.decision;
  if (decision !== undefined)
    return ok(decision === "denied" ? decision : (JSON.parse(decision) as DeviceAccess));
  if (known?.length === 0) return ok("unknown");
  return ok(polled?.length === 0 ? "too_fast" : "pending");
}
