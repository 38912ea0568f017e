/** Refusals of what only a person may decide: an owner who certainly acts in person (decision 162). */
import { refuse } from "../mess/errors.ts";

export const refuseUnverifiedSession = (): ReturnType<typeof refuse> =>
  refuse(
    "person_required",
    "this browser was signed in by a link that an API key made, which does not identify a person",
    "Sign in with a passkey that was not added in such a browser, or with a sign-in link of the operator.",
  );

export const refuseNoPerson = (): ReturnType<typeof refuse> =>
  refuse(
    "person_required",
    "only an owner who has signed in on a page, or taps in a chat that they have confirmed, may approve what is sent",
    "Ask for an approval: the owners are asked through their channels.",
  );
