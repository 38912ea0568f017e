/** Finds the source of a call, after the household has decided that the caller may do this with it. */
import type { Principal } from "../../auth/principal.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { SourceAccess, SourceListing, SourcesRpc } from "../../contracts/household-sources.ts";
import type { SourceRpc } from "../../contracts/sources.ts";
import type { Outcome } from "../../mess/errors.ts";
import { getHouseholdStub, getSourceStub } from "../../stubs.ts";
import type { ExchangeBindings } from "../with-thread.ts";

/** Runs `work` on the household's sources. Links give access to one thread, and to nothing else. */
export async function callSources<T>(
  env: ExchangeBindings,
  principal: Principal,
  work: (sources: SourcesRpc) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  if (principal.credential === undefined || principal.scope) return refuseUnauthenticated();
  return await work(getHouseholdStub(env, principal.household).sources);
}

/** Runs `work` on the source's object. A source that the caller may not see is refused like one that does not exist. */
export const withSource = <T>(
  env: ExchangeBindings,
  principal: Principal,
  name: string,
  access: SourceAccess,
  work: (source: SourceRpc, listing: SourceListing) => Promise<Outcome<T>>,
): Promise<Outcome<T>> =>
  callSources(env, principal, async (sources) => {
    const listing = await sources.authorize(principal, name, access);
    return listing.ok
      ? await work(getSourceStub(env, principal.household, listing.value.name), listing.value)
      : listing;
  });
