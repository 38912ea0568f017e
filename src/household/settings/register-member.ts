/** Members that register by themselves in an open household, and the profiles that members change. */
import type { AuditSource } from "../../contracts/audit.ts";
import type { NewRegistration } from "../../contracts/settings.ts";
import { refuseSuspended } from "../../auth/suspension.ts";
import { checkActorId } from "../../mess/actors.ts";
import { mergeProfile } from "../../mess/config/member-profile.ts";
import { writeExecutor } from "../../mess/config/executor.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { JsonMap } from "../../mess/json.ts";
import { refuseQuota } from "../../mess/quotas.ts";
import { ok } from "../../mess/result.ts";
import { EXCHANGE_SOURCE } from "../audit/audit.ts";
import { type HouseholdContext, refuseNoHousehold } from "../household-context.ts";
import { addMemberKey } from "../identity/member-keys.ts";
import { listExecutorsWithAgents } from "../memberships/pools/pool-executors.ts";
import { getLimits } from "../quotas/quotas.ts";
import type { Stores } from "../stores.ts";
import { refuseRegistrationClosed } from "../../auth/registration-closed.ts";
import { applyConfigBlock } from "./apply-config-block.ts";
import { configure, prepareConfig } from "./configure.ts";

const refuseTaken = () =>
  refuse("already_exists", "executor_id: this id is taken", "Choose another id.", {
    path: "executor_id",
  });

/** Whether the household has a member, an executor or an agent of a pool with this id. */
const isTaken = (stores: Stores, id: string, now: number): boolean =>
  stores.members.has(id) ||
  listExecutorsWithAgents(stores, now).executors.some((one) => one.id === id);

/** Strangers may use half of the household's keys, so that owners can always add one. */
function checkRoom(stores: Stores): Outcome<true> {
  const limit = Math.floor(getLimits(stores).keys_per_household / 2);
  const used = stores.credentials.countByActor().reduce((sum, { count }) => sum + count, 0);
  return used < limit ? ok(true) : refuseQuota("keys_per_household", limit);
}

function checkRegistration(stores: Stores, id: string, now: number): Outcome<true> {
  if (stores.settings.isSuspended()) return refuseSuspended();
  if (stores.settings.getAccess().registration !== "open") return refuseRegistrationClosed();
  return isTaken(stores, id, now) ? refuseTaken() : checkRoom(stores);
}

/** Adds the executor and its key in one transaction, or nothing. */
export async function registerMember(
  context: HouseholdContext,
  { id, fields, key_hash }: NewRegistration,
): Promise<Outcome<{ warnings: string[] }>> {
  const stores = context.openStores();
  if (!stores) return refuseRegistrationClosed();
  const valid = checkActorId(id, "executor_id");
  if (!valid.ok) return valid.error.code === "reserved_id" ? refuseTaken() : valid;
  const may = checkRegistration(stores, id, Date.now());
  if (!may.ok) return may;
  const block = { executor: mergeProfile({ id }, fields) };
  const prepared = await prepareConfig(stores, context.getVault(stores), block);
  if (!prepared.ok) return prepared;
  const source: AuditSource = { ...EXCHANGE_SOURCE, actor: id };
  return await context.transactAndSetAlarm((_stores, now) => {
    // Another call may have taken the id while the secrets were sealed.
    const still = checkRegistration(stores, id, now);
    if (!still.ok) return still;
    const configured = configure(stores, prepared.value, source, now);
    if (!configured.ok) return configured;
    const key = addMemberKey(stores, { actor: id, role: "member", key_hash }, source, now);
    return key.ok ? configured : key;
  });
}

/** Changes the profile of an executor at its own request. */
export async function updateProfile(
  context: HouseholdContext,
  env: Env,
  id: string,
  fields: JsonMap,
  source: AuditSource,
): Promise<Outcome<{ warnings: string[] }>> {
  const stores = context.openStores();
  if (!stores) return refuseNoHousehold();
  const executor = stores.members.findExecutor(id);
  if (!executor)
    return refuse("not_found", "executor not found", "Ask an owner to make you an executor.");
  const merged = mergeProfile({ ...writeExecutor(executor), id }, fields);
  return await applyConfigBlock(context, env, { executor: merged }, source);
}
