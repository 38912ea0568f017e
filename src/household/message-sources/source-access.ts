/** Decides which sources a caller may see, and what it may do with them. */
import { allowsAccess, allowsGuidance } from "../../auth/message-paths.ts";
import type { Principal } from "../../auth/principal.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { SourceAccess, SourceListing } from "../../contracts/household-sources.ts";
import { defined } from "../../mess/defined.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { refuseSourceNotFound } from "../../mess/sources/refusals.ts";
import { findSourceKind } from "../../source-kinds/registry.ts";
import type { AddressParts } from "../../source-kinds/source-kind.ts";
import { isLive } from "../identity/end-access.ts";
import type { Stores } from "../stores.ts";
import type { StoredSource } from "./source-table.ts";

const ACCESSES: readonly SourceAccess[] = ["read", "draft", "classify"];

const PATHS_HINT =
  "Ask an owner of the household for a key that is limited to message sources, such as paths: [msg/email].";

/** Owners, and members whose credential is limited to paths of message sources. */
export function checkSourceCaller(
  stores: Stores,
  { scope, credential, paths, role }: Principal,
  now: number,
): Outcome<true> {
  if (scope || credential === undefined)
    return refuse("wrong_role", "a link gives no access to message sources", PATHS_HINT);
  // An isolate may still know a key that was revoked a moment ago.
  if (!isLive(stores, credential, now)) return refuseUnauthenticated();
  // A person who is no owner must not reach the household's mail by granting a client the paths.
  const isAllowed =
    paths === undefined
      ? role === "owner"
      : credential.startsWith("key:") ||
        stores.grants.getPersonRole(credential.slice("grant:".length)) === "owner";
  return isAllowed
    ? ok(true)
    : refuse("wrong_role", "only owners have access to message sources", PATHS_HINT);
}

/** Owners may do everything with the sources, unless their credential is limited. */
export function checkSourceOwner(stores: Stores, principal: Principal, now: number): Outcome<true> {
  const caller = checkSourceCaller(stores, principal, now);
  if (!caller.ok) return caller;
  return principal.role === "owner" && principal.paths === undefined
    ? ok(true)
    : refuse(
        "wrong_role",
        "only owners may do this, with a credential that is not limited to paths",
        "Ask an owner of the household.",
      );
}

/** The policy and the rules concern all sources, so those may read them who read or classify all. */
export function checkGuidanceReader(
  stores: Stores,
  principal: Principal,
  now: number,
): Outcome<true> {
  const caller = checkSourceCaller(stores, principal, now);
  if (!caller.ok) return caller;
  const { paths } = principal;
  return paths === undefined || allowsGuidance(paths)
    ? ok(true)
    : refuse(
        "wrong_role",
        "your credential does not allow reading the policy",
        "Ask an owner for a key with the path msg.",
      );
}

export const canAccess = ({ paths }: Principal, source: string, access: SourceAccess): boolean =>
  paths === undefined || allowsAccess(paths, source, access);

export const listAccesses = (principal: Principal, source: string): SourceAccess[] =>
  ACCESSES.filter((access) => canAccess(principal, source, access));

/** @returns the source; the same refusal for one that does not exist and one that the caller may not see */
export function authorizeSource(
  stores: Stores,
  principal: Principal,
  name: string,
  access: SourceAccess,
  now: number,
): Outcome<StoredSource> {
  const caller = checkSourceCaller(stores, principal, now);
  if (!caller.ok) return caller;
  const source = stores.messageSources.find(name);
  if (!source || listAccesses(principal, name).length === 0) return refuseSourceNotFound();
  return canAccess(principal, name, access)
    ? ok(source)
    : refuse(
        "wrong_role",
        `your credential does not allow this for the source ${name}`,
        access === "draft"
          ? `Ask an owner for a key with the path msg/${name}/outbox.`
          : access === "classify"
            ? `Ask an owner for a key with the paths msg/${name} and msg/classify.`
            : `Ask an owner for a key with the path msg/${name}.`,
      );
}

/** @param place of the source; its address never contains a secret, so the written settings are enough */
export function toListing(
  { name, kind, title, status, settings, cannot_send }: StoredSource,
  place: Omit<AddressParts, "source">,
): SourceListing {
  const address = findSourceKind(kind)?.getAddress?.(settings, { ...place, source: name });
  return {
    name,
    kind,
    status,
    can_send: cannot_send === undefined,
    ...defined({ title, address }),
  };
}
