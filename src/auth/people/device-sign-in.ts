/**
 * The device flow (RFC 8628): a program without a browser gets a key, once a person has compared its code on a page and
 * allowed it. The key is made when the program takes it, so that it is stored nowhere.
 */
import type { DeviceDecision, WaitingDevice } from "../../contracts/device-codes.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import * as store from "../../partitions/device-codes.ts";
import { getHouseholdStub } from "../../stubs.ts";
import { generateKey } from "../api-keys.ts";
import { generateSecret, hashSha256 } from "../hash.ts";
import type { Role } from "../principal.ts";
import { generateUserCode } from "./user-codes.ts";

export interface NewDevice {
  device_code: string;
  user_code: string;
  /** Seconds. */
  expires_in: number;
  /** Seconds between two questions of the program. */
  interval: number;
}

export async function startDeviceSignIn(
  { INDEX }: Pick<Env, "INDEX">,
  device: Omit<WaitingDevice, "user_code">,
  now: number,
): Promise<Outcome<NewDevice>> {
  const device_code = generateSecret();
  const user_code = generateUserCode();
  const hash = await hashSha256(device_code);
  const added = await store.addDevice(INDEX, hash, { user_code, ...device }, now);
  if (!added.ok) return added;
  const expires_in = store.DEVICE_CODE_LIFETIME_MS / 1_000;
  return ok({ device_code, user_code, expires_in, interval: store.POLL_INTERVAL_SECONDS });
}

export const findDevice = (
  { INDEX }: Pick<Env, "INDEX">,
  userCode: string,
  now: number,
): Promise<Outcome<WaitingDevice | null>> => store.findDevice(INDEX, userCode, now);

/** Records the first decision. False if no program waits with this code any more. */
export async function decideDevice(
  { INDEX }: Pick<Env, "INDEX">,
  userCode: string,
  decision: DeviceDecision,
  now: number,
): Promise<Outcome<boolean>> {
  const decided = await store.decideDevice(INDEX, userCode, decision, now);
  return decided.ok ? ok(decided.value !== null) : decided;
}

export interface DeviceKey {
  api_key: string;
  exchange_id: string;
  actor: string;
  role: Role;
}

/** The key of the program, once. The household checks that the person is still signed in, and limits the role. */
export async function takeDeviceKey(
  env: Pick<Env, "HOUSEHOLDS" | "INDEX">,
  deviceCode: string,
  now: number,
): Promise<Outcome<DeviceKey>> {
  const taken = await store.takeDecision(env.INDEX, await hashSha256(deviceCode), now);
  if (!taken.ok) return taken;
  switch (taken.value) {
    case "pending":
      return refuse(
        "authorization_pending",
        "nobody has confirmed the code yet",
        `Ask again every ${store.POLL_INTERVAL_SECONDS} seconds.`,
      );
    case "too_fast":
      return refuse("slow_down", "asked too soon", "Wait five seconds longer between two calls.");
    case "unknown":
      return refuse(
        "expired_token",
        "the code has expired, was used, or never existed",
        "Get a new one from POST /api/v1/device-codes.",
      );
    case "denied":
      return refuseDenied();
    default: {
      const { client: label, household, session, role } = taken.value;
      const { key, hash } = await generateKey(household);
      const { identity } = getHouseholdStub(env, household);
      const added = await identity.addSessionKey(session, { role, key_hash: hash, label });
      if (!added.ok) return added.error.code === "unauthenticated" ? refuseDenied() : added;
      return ok({ api_key: key, exchange_id: household, ...added.value });
    }
  }
}

/** Also where the person signed out, or was removed, after they allowed it. */
const refuseDenied = () =>
  refuse("access_denied", "the person did not allow it", "Ask the person, then get a new code.");
