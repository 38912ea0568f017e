/** RPC surface of the household for secrets. Types only. */
import type { Outcome } from "../mess/errors.ts";
import type { AuditSource } from "./audit.ts";

/** A secret as owners see it, without its value. */
export interface SecretInfo {
  name: string;
  /** Equal for equal values of the same name. */
  fingerprint: string;
  created: string;
  updated: string;
  /** The secret was sealed with another MESS_SECRET and must be set again. */
  unreadable?: true;
}

export interface SecretsRpc {
  putSecret(name: string, value: string, by?: AuditSource): Promise<Outcome<SecretInfo>>;
  listSecrets(): Promise<SecretInfo[]>;
  removeSecret(name: string, by?: AuditSource): Promise<Outcome<true>>;
}
