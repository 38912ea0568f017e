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
  /** The secret was sealed with another MESS_SECRET. */
  unreadable?: true;
  /** How to make an unreadable secret usable. */
  hint?: string;
}

export interface SecretsRpc {
  putSecret(name: string, value: string, by?: AuditSource): Promise<Outcome<SecretInfo>>;
  listSecrets(): Promise<SecretInfo[]>;
  /** Seals all secrets under the current MESS_SECRET and reports that to the deployment's registry. */
  resealSecrets(): Promise<void>;
  removeSecret(name: string, by?: AuditSource): Promise<Outcome<true>>;
}
