/** The household as its operator sees it: counts and times, never content, names of people, or intents. */
import type { HouseholdOverview } from "../../contracts/settings.ts";
import { defined } from "../../mess/defined.ts";
import { writeTime } from "../../mess/times.ts";
import { readUsage } from "../quotas/quotas.ts";
import type { Stores } from "../stores.ts";

const toTime = (instant: number | null | undefined): string | undefined =>
  typeof instant === "number" ? writeTime(instant, "UTC") : undefined;

export function describeForOperator(stores: Stores, now: number): HouseholdOverview {
  const { settings, jobs, members, people, audit } = stores;
  const { overdueSince, deadLetters } = jobs.summarize(now);
  return {
    id: settings.getHousehold().id,
    ...defined({
      created: toTime(audit.findFirst("household_created")),
      suspended: toTime(settings.get("suspended")),
    }),
    health: { dead_letters: deadLetters, ...defined({ overdue_since: toTime(overdueSince) }) },
    usage: {
      ...readUsage(stores, now).household,
      members: members.listExecutors().length,
      people: people.list(now).length,
    },
  };
}
