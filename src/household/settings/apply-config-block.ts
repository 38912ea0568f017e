/** Applies a `config` block in the household's object: checks it, stores it, and starts the work that follows. */
import type { AuditSource } from "../../contracts/audit.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { JsonMap } from "../../mess/json.ts";
import { type HouseholdContext, refuseNoHousehold } from "../household-context.ts";
import { checkDeployment } from "./check-deployment.ts";
import { configure, prepareConfig } from "./configure.ts";

export async function applyConfigBlock(
  context: HouseholdContext,
  env: Env,
  block: JsonMap,
  source: AuditSource,
): Promise<Outcome<{ warnings: string[] }>> {
  const stores = context.openStores();
  if (!stores) return refuseNoHousehold();
  const able = checkDeployment(block, env);
  if (!able.ok) return able;
  const prepared = await prepareConfig(stores, context.getVault(stores), block);
  if (!prepared.ok) return prepared;
  const done = context.transact((_stores, now) => configure(stores, prepared.value, source, now));
  await context.setAlarm();
  if (!done.ok) return done;
  const { change } = prepared.value;
  if (change.removals.length > 0) await context.enforceAccessEnd();
  // A message may arrive directly after the ack.
  if (change.sources) await context.runJobsNow("syncSource", "eraseSource", "syncSource");
  if (change.messages) await context.runJobsNow("catchUpSource");
  return done;
}
