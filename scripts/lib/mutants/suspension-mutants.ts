/** Defects by which a suspended household is still reached, sends notices, or loses them. */
import type { Mutant } from "./mutant.ts";

const refusals = ["isolation/suspension"];
const deliveries = ["deliveries/suspension"];

export const SUSPENSION_MUTANTS: readonly Mutant[] = [
  {
    name: "suspension: keys and links still work",
    file: "src/auth/suspension.ts",
    find: "rate.ok ? await checkNotSuspended(env, caller.household) : rate",
    replace: "rate",
    tests: refusals,
  },
  {
    name: "suspension: webhooks still work",
    file: "src/ingress/http/serve-route.ts",
    find: "await checkNamedHousehold(env, household)",
    replace: "rate",
    tests: refusals,
  },
  {
    name: "suspension: notices are still sent",
    file: "src/household/contacts/contacts-facet.ts",
    find: "    if (stores.settings.isSuspended()) return this.#hold(query);\n",
    replace: "",
    tests: deliveries,
  },
  {
    name: "suspension: held notices stay held after it",
    file: "src/household/settings/suspension.ts",
    find: "  if (!isSuspended) releaseSuspendedNotices(stores, now);\n",
    replace: "",
    tests: deliveries,
  },
];
