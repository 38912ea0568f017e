/** The chats in which the taps of a signed-in owner approve drafts, or may. */
import type { Membership } from "../../../auth/people/browser-session.ts";
import { getHouseholdStub } from "../../../stubs.ts";
import type { HouseholdChat } from "./sign-in-page.ts";

/** Those of the households in which the person is an owner in a verified session. */
export async function listChats(
  env: Pick<Env, "HOUSEHOLDS">,
  memberships: readonly Membership[],
): Promise<HouseholdChat[]> {
  const owned = memberships.filter(({ role, verified }) => role === "owner" && verified);
  const found = await Promise.all(
    owned.map(async ({ household, session }) => {
      const chats = await getHouseholdStub(env, household).contacts.listApprovalChats(session);
      return chats.ok ? chats.value.map((chat) => ({ ...chat, household })) : [];
    }),
  );
  return found.flat();
}
