/** The route of a request that only an owner may decide: to the first owner who can be reached, executor or not. */
import { getEffectivePriority } from "../../mess/routing/priority.ts";
import { getLeaseSeconds } from "../../mess/routing/leases.ts";
import { getStepSeconds } from "../../mess/routing/escalation-timeouts.ts";
import type { Route, RouteRequest } from "../../mess/routing/routing.ts";
import { findContactChannels, getAlertedOwner, listOwners } from "../contacts/owner-alerts.ts";
import type { Stores } from "../stores.ts";

export const isOwnerReached = (stores: Stores, owner: string): boolean =>
  findContactChannels(stores, owner, false).channels.length > 0;

/** The owners in the order in which they are asked: those of `config.messages.owners`, if they still are owners. */
function listAskedOwners(stores: Stores): string[] {
  const owners = listOwners(stores);
  const named = stores.settings.getMessages()["owners"];
  const asked = Array.isArray(named)
    ? named.filter((one): one is string => typeof one === "string" && owners.includes(one))
    : [];
  return asked.length > 0 ? asked : owners;
}

/** Without an owner who can be reached it is offered to the first one, who finds it on the page. */
export function routeToOwner(stores: Stores, request: RouteRequest): Route {
  const asked = listAskedOwners(stores);
  const id =
    asked.find((owner) => isOwnerReached(stores, owner)) ?? asked[0] ?? getAlertedOwner(stores);
  const { lease = getLeaseSeconds("person") } = stores.members.findExecutor(id) ?? {};
  const { ladder } = stores.routing.getRulesWithTimeouts();
  return {
    by: "rule",
    candidates: [{ id, kind: "person", lease, rung: 1, reasons: ["an owner decides this"] }],
    passed_over: [],
    requires: [],
    warnings: [],
    rung_seconds: getStepSeconds(getEffectivePriority(request), ladder),
  };
}
