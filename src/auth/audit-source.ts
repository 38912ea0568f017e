import type { AuditSource } from "../contracts/audit.ts";
import type { Principal } from "./principal.ts";

/** The operator of the deployment, who belongs to no household. */
export const OPERATOR_SOURCE: AuditSource = { actor: "operator", credential: "operator" };

/** The caller as the audit trail names it. The digest of a session is left out: owners know sessions by their person. */
export function toAuditSource({ actor, credential }: Principal): AuditSource {
  const [kind, id] = credential?.split(":") ?? [];
  if (kind === "session") return { actor, credential: kind };
  return (kind === "key" || kind === "grant") && id !== undefined
    ? { actor, credential: kind, credential_id: id }
    : { actor, credential: "exchange" };
}
