/** Finds the memberships of an agent again after it lost its context, with what waits for it in each. */
import type { Principal } from "../../auth/principal.ts";
import type { PendingSummary } from "../../contracts/groups.ts";
import type { GroupMembership } from "../../contracts/household-groups.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { getGroupStub } from "../../stubs.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { callGroups } from "./group-memberships.ts";

/** Memberships whose messages are counted, open ones first. The others are listed without counts. */
const MAX_COUNTED = 10;

export interface RejoinedMembership extends GroupMembership {
  pending?: PendingSummary;
}

export const rejoinGroups = (
  env: ExchangeBindings,
  principal: Principal,
  input: { my_name: string; group_id?: string },
): Promise<Outcome<RejoinedMembership[]>> =>
  callGroups(env, principal, async (groups) => {
    const found = await groups.rejoin(principal, input);
    if (!found.ok) return found;
    const openFirst = found.value.toSorted(
      (a, b) => Number(a.status === "closed") - Number(b.status === "closed"),
    );
    return ok(
      await Promise.all(
        openFirst.map(async (membership, index) => {
          if (index >= MAX_COUNTED) return membership;
          const { group_id, my_id } = membership;
          const group = getGroupStub(env, principal.household, group_id);
          const pending = await group.pending({ principal, as: my_id });
          return pending.ok ? { ...membership, pending: pending.value } : membership;
        }),
      ),
    );
  });
