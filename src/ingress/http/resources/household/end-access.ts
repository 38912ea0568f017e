/** Ends access to a household: a key, a grant, or the sign-in of a person. */
import { toAuditSource } from "../../../../auth/audit-source.ts";
import { clearCachedCredentials } from "../../../../auth/live-credential.ts";
import type { AuditSource } from "../../../../contracts/audit.ts";
import type { IdentityRpc } from "../../../../contracts/identity.ts";
import type { Outcome } from "../../../../mess/errors.ts";
import { getHouseholdStub } from "../../../../stubs.ts";
import type { HttpCall } from "../../route.ts";

type Identity = Pick<IdentityRpc, "endSessionKey" | "revokeKey" | "removePerson" | "revokeGrant">;

/** Runs `end` in the caller's household; then this isolate must not accept a cached credential any longer. */
export async function endAccess(
  { env, principal }: HttpCall,
  end: (identity: Identity, source: AuditSource) => Promise<Outcome<true>>,
): Promise<Outcome<true>> {
  const { household } = principal;
  const ended = await end(getHouseholdStub(env, household).identity, toAuditSource(principal));
  if (ended.ok) clearCachedCredentials(household);
  return ended;
}
