/** Programs that a person lets sign in, as D1 stores them while they wait. Types only. */
import type { Role } from "../auth/principal.ts";

/** A program that asks to sign in, as it describes itself. */
export interface WaitingDevice {
  user_code: string;
  client: string;
  /** Network address; empty where it is unknown. */
  address: string;
}

/** The access that a person gave to a program. */
export interface DeviceAccess {
  /** Name of the program. */
  client: string;
  household: string;
  /** Digest of the person's session. */
  session: string;
  role: Role;
}

export type DeviceDecision = DeviceAccess | "denied";
