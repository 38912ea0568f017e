/** The signed-in member in one household, for calls that change that member's own settings. */
import { type SignedInPerson, authenticatePeople } from "../../../auth/people/browser-caller.ts";
import { refuseUnauthenticated } from "../../../auth/unauthenticated.ts";
import { getConfig } from "../../../config.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { fail, ok } from "../../../mess/result.ts";
import type { NoHouseholdCall } from "../../http/route.ts";
import { checkOrigin } from "../respond/check-origin.ts";

export async function findPerson({
  env,
  request,
}: Pick<NoHouseholdCall, "env" | "request">): Promise<Outcome<SignedInPerson>> {
  const foreign = checkOrigin(request);
  if (foreign) return fail(foreign);
  const people = await authenticatePeople(env, getConfig(env).secret, request);
  if (!people.ok) return people;
  const [person, ...others] = people.value;
  if (!person) return refuseUnauthenticated();
  return others.length === 0
    ? ok(person)
    : refuse("bad_parameter", "this browser is signed in to several households", "Give session.", {
        path: "session",
      });
}
