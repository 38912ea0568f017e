/** Ends the waits of members whose credential has ended. Their ids stay, for the time when they rejoin. */
import type { CredentialId } from "../../auth/principal.ts";
import type { Stores } from "../stores.ts";
import { syncGroup } from "./group-jobs.ts";

export function endMemberships(stores: Stores, credential: CredentialId, now: number): void {
  for (const group of stores.groupMembers.endCredential(credential)) syncGroup(stores, group, now);
}
