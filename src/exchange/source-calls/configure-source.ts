/** Registers, connects and disconnects sources, and lists those that the caller may see. */
import type { Principal } from "../../auth/principal.ts";
import type {
  SourceAccess,
  SourceListing,
  VisibleSource,
} from "../../contracts/household-sources.ts";
import type { SourceRecord } from "../../contracts/sources.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { getHouseholdStub } from "../../stubs.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { callSources, withSource } from "./with-source.ts";

/** Also those to which the caller may only write drafts. */
export const listVisibleSources = (
  env: ExchangeBindings,
  principal: Principal,
): Promise<Outcome<VisibleSource[]>> =>
  callSources(env, principal, (sources) => sources.listVisible(principal));

/** A change of the configuration: only owners may do this. */
export const registerSource = (
  env: ExchangeBindings,
  principal: Principal,
  name: string,
  settings: JsonMap,
): Promise<Outcome<SourceListing>> =>
  callSources(env, principal, (sources) => sources.register(principal, name, settings));

/** Only owners may do this. */
export const setSourceStatus = (
  env: ExchangeBindings,
  principal: Principal,
  name: string,
  status: SourceRecord["status"],
): Promise<Outcome<SourceListing>> =>
  withSource(env, principal, name, "read", () =>
    getHouseholdStub(env, principal.household).sources.setStatus(principal, name, status),
  );

/** Lets the source look for new messages often for some minutes; others than polled ones do so all the time. */
export const hastenSource = (
  env: ExchangeBindings,
  principal: Principal,
  name: string,
): Promise<Outcome<SourceListing>> =>
  withSource(env, principal, name, "read", async ({ kind }, listing) => {
    await kind.hasten();
    return ok(listing);
  });

/** Whether the caller may do this with the source. */
export const checkSourceAccess = (
  env: ExchangeBindings,
  principal: Principal,
  name: string,
  access: SourceAccess,
): Promise<Outcome<SourceListing>> =>
  withSource(env, principal, name, access, async (_source, listing) => ok(listing));
