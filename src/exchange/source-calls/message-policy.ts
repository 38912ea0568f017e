/** The policy and the rules by which messages are classified, and dry runs of another policy. */
import type { Principal } from "../../auth/principal.ts";
import type { PolicyVersion } from "../../contracts/household-sources.ts";
import type { DryRunEntry } from "../../contracts/sources.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { ClassifierRule } from "../../mess/sources/rules.ts";
import { getSourceStub } from "../../stubs.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { callSources } from "./with-source.ts";

export const readPolicy = (
  env: ExchangeBindings,
  principal: Principal,
): Promise<Outcome<PolicyVersion>> =>
  callSources(env, principal, (sources) => sources.getPolicy(principal));

/** Every version, the newest first. */
export const listPolicies = (
  env: ExchangeBindings,
  principal: Principal,
): Promise<Outcome<PolicyVersion[]>> =>
  callSources(env, principal, (sources) => sources.listPolicies(principal));

export const changePolicy = (
  env: ExchangeBindings,
  principal: Principal,
  text: string,
): Promise<Outcome<PolicyVersion>> =>
  callSources(env, principal, (sources) => sources.setPolicy(principal, text));

export const listRules = (
  env: ExchangeBindings,
  principal: Principal,
): Promise<Outcome<ClassifierRule[]>> =>
  callSources(env, principal, (sources) => sources.listRules(principal));

export const changeRules = (
  env: ExchangeBindings,
  principal: Principal,
  rules: ClassifierRule[],
): Promise<Outcome<ClassifierRule[]>> =>
  callSources(env, principal, (sources) => sources.setRules(principal, rules));

export interface PolicyTrial {
  policy: string;
  /** Newest messages to classify, of the source or of all together. */
  limit: number;
  source?: string;
}

/** A dry run, as it is shown: the newest message of all sources first. */
export type TrialEntry = DryRunEntry & { source: string };

/** Classifies the newest messages by another policy. It changes nothing, but its calls are paid for: owners only. */
export const tryPolicy = (
  env: ExchangeBindings,
  principal: Principal,
  { policy, limit, source }: PolicyTrial,
): Promise<Outcome<TrialEntry[]>> =>
  callSources(env, principal, async (sources) => {
    if (principal.role !== "owner" || principal.paths !== undefined)
      return refuse(
        "wrong_role",
        "only owners try another policy",
        "Ask an owner of the household.",
      );
    const listed = await sources.list(principal);
    if (!listed.ok) return listed;
    const names = listed.value.map(({ name }) => name);
    if (source !== undefined && !names.includes(source))
      return refuse("not_found", "source not found", "List the sources that you may read.");
    const tried = source === undefined ? names : [source];
    const newest = await listNewest(env, principal, tried, limit);
    const runs = await Promise.all(
      tried.map(async (name): Promise<Outcome<TrialEntry[]>> => {
        const count = newest.filter((message) => message.source === name).length;
        if (count === 0) return ok([]);
        const { watcher } = getSourceStub(env, principal.household, name);
        const run = await watcher.dryRun(policy, count);
        return run.ok ? ok(run.value.map((entry) => ({ ...entry, source: name }))) : run;
      }),
    );
    const refused = runs.find((run) => !run.ok);
    if (refused) return refused;
    const entries = runs.flatMap((run) => (run.ok ? run.value : []));
    const places = new Map(newest.map(({ source: name, id }, place) => [`${name}/${id}`, place]));
    const placeOf = ({ source: name, id }: TrialEntry): number =>
      // A message that has arrived in the meantime is the newest.
      places.get(`${name}/${id}`) ?? -1;
    return ok(entries.toSorted((one, other) => placeOf(one) - placeOf(other)));
  });

/** The newest messages of these sources together, so that the calls of a dry run have one limit. */
async function listNewest(
  env: ExchangeBindings,
  { household }: Principal,
  names: readonly string[],
  limit: number,
): Promise<{ source: string; id: string; received: string }[]> {
  const pages = await Promise.all(
    names.map((name) => getSourceStub(env, household, name).messages.list({ limit })),
  );
  return pages
    .flatMap((page) => (page.ok ? page.value.messages : []))
    .toSorted((one, other) => Date.parse(other.received) - Date.parse(one.received))
    .slice(0, limit);
}
