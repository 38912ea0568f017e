/**
 * Authenticates a person's browser for a thread: by its sign-in session, or by a link that it opened. A sign-in takes
 * precedence over a link of the same member; a link of another member takes precedence over the sign-in.
 */
import { defined } from "../../mess/defined.ts";
import type { WorkerSecret } from "../worker-secret.ts";
import { type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import { fail, ok } from "../../mess/result.ts";
import {
  authenticateLinkSession,
  readSessionName,
  buildSessionId,
  checkClientHeader,
} from "../links/link-sessions.ts";
import type { Principal } from "../principal.ts";
import { refuseUnauthenticated } from "../unauthenticated.ts";
import { checkRequestRate, type RateBindings } from "../rates/request-rate.ts";
import { admitCaller, checkNotSuspended } from "../suspension.ts";
import { type Membership, readSession } from "./browser-session.ts";

type HouseholdBindings = Pick<Env, "HOUSEHOLDS"> & RateBindings;

/** A person who is signed in; `household_name` is for display. */
export interface SignedInPerson extends Principal {
  readonly household_name: string;
  /** Digest by which the household knows the browser's session. */
  readonly session: string;
}

const toSignedInPerson = ({
  household,
  actor,
  role,
  household_name,
  session,
  verified,
  readsAll,
}: Membership): SignedInPerson => ({
  household,
  actor,
  role,
  household_name,
  session,
  credential: `session:${session}`,
  ...defined({ verified, readsAll }),
});

/**
 * Authenticates the people who are signed in: in the household that the request names by its session, or in all of
 * them. Requests that change something must come from our own page.
 */
export async function authenticatePeople(
  env: HouseholdBindings,
  secret: WorkerSecret,
  request: Request,
): Promise<Outcome<SignedInPerson[]>> {
  const sessionName = readSessionName(request);
  let limited: MessError | undefined;
  let suspended: MessError | undefined;
  const memberships = await readSession(env, secret, request, async (household, session) => {
    if (sessionName !== undefined && (await buildSessionId(household)) !== sessionName)
      return false;
    const caller = { household, actor: "", credential: `session:${session}` } as const;
    const rate = await checkRequestRate(env, caller);
    if (!rate.ok) limited = rate.error;
    const active = await checkNotSuspended(env, household);
    if (!active.ok) suspended = active.error;
    return rate.ok && active.ok;
  });
  if (limited) return fail(limited);
  if (suspended && memberships.length === 0) return fail(suspended);
  const unsafe = memberships.length > 0 ? checkClientHeader(request) : undefined;
  return unsafe ? fail(unsafe) : ok(memberships.map(toSignedInPerson));
}

/** Authenticates the person that the browser acts as where no thread is named. */
export async function authenticateOnePerson(
  env: HouseholdBindings,
  secret: WorkerSecret,
  request: Request,
): Promise<Outcome<Principal>> {
  const people = await authenticatePeople(env, secret, request);
  if (!people.ok) return people;
  const [person, ...others] = people.value;
  if (!person) return refuseUnauthenticated();
  return others.length === 0 ? ok(person) : refuseSeveralHouseholds();
}

const refuseSeveralHouseholds = () =>
  refuse(
    "ambiguous_ref",
    "this browser is signed in to several households",
    "Send the header X-MESS-Session with the session that the inbox returned for the household.",
  );

/** Authenticates the member that the browser acts as in this thread. */
export async function authenticateBrowser(
  env: HouseholdBindings,
  secret: WorkerSecret,
  request: Request,
  ref: string,
): Promise<Outcome<Principal>> {
  const people = await authenticatePeople(env, secret, request);
  if (!people.ok) return people;
  const link = await authenticateLinkSession(secret, request, ref);
  if (link.ok) {
    const { household, actor } = link.value;
    const person = people.value.find((one) => one.household === household && one.actor === actor);
    if (person) return ok(person);
    const admitted = await admitCaller(env, link.value);
    return admitted.ok ? link : admitted;
  }
  const [person, ...others] = people.value;
  if (!person || !["unauthenticated", "link_dead"].includes(link.error.code)) return link;
  return others.length === 0 ? ok(person) : refuseSeveralHouseholds();
}
