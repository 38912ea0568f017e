/**
 * A person's browser as the caller of a thread: by being signed in, or by the link that it opened. Being signed in
 * outlives the link of the same member; a link that speaks for somebody else is what its bearer opened it for.
 */
import { type Outcome, refuse } from "../../mess/errors.ts";
import { fail, ok } from "../../mess/result.ts";
import {
  authenticateLinkSession,
  readSessionName,
  buildSessionId,
  checkClientHeader,
} from "../links/link-sessions.ts";
import type { Principal } from "../principal.ts";
import { type Membership, readSession } from "./browser-session.ts";

type HouseholdBindings = Pick<Env, "HOUSEHOLDS">;

/** A member who is signed in; the household's name is for people. */
export interface SignedInPerson extends Principal {
  readonly household_name: string;
  /** Names the browser's session to the household. */
  readonly session: string;
}

const toSignedInPerson = ({
  household,
  actor,
  role,
  household_name,
  session,
}: Membership): SignedInPerson => ({
  household,
  actor,
  role,
  household_name,
  session,
  credential: `session:${session}`,
});

/**
 * Who is signed in, in the household that the request names by its session, or in all of them. What is not read only
 * must come from our own page.
 */
export async function authenticatePeople(
  env: HouseholdBindings,
  secret: string,
  request: Request,
): Promise<Outcome<SignedInPerson[]>> {
  const named = readSessionName(request);
  const memberships = await readSession(env, secret, request, async (household) =>
    named === undefined ? true : (await buildSessionId(household)) === named,
  );
  const unsafe = memberships.length > 0 ? checkClientHeader(request) : undefined;
  return unsafe ? fail(unsafe) : ok(memberships.map(toSignedInPerson));
}

/** Whom the browser speaks for in this thread. */
export async function authenticateBrowser(
  env: HouseholdBindings,
  secret: string,
  request: Request,
  ref: string,
): Promise<Outcome<Principal>> {
  const people = await authenticatePeople(env, secret, request);
  if (!people.ok) return people;
  const link = await authenticateLinkSession(secret, request, ref);
  if (link.ok) {
    const { household, actor } = link.value;
    const same = people.value.find((one) => one.household === household && one.actor === actor);
    return ok(same ?? link.value);
  }
  const [person, ...others] = people.value;
  if (!person || !["unauthenticated", "link_dead"].includes(link.error.code)) return link;
  return others.length === 0
    ? ok(person)
    : refuse(
        "ambiguous_ref",
        "this browser is signed in to several households",
        "Send the header X-MESS-Session with the session that the inbox gave for the thread.",
      );
}
