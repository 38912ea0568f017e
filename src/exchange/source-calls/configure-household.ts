/** Applies a configuration, and tries the settings of the sources in it with their providers. */
import { toAuditSource } from "../../auth/audit-source.ts";
import { clearCachedCredentials } from "../../auth/live-credential.ts";
import type { Principal } from "../../auth/principal.ts";
import type { SourceRecord } from "../../contracts/sources.ts";
import { splitSource } from "../../mess/config/message-sources.ts";
import type { Outcome } from "../../mess/errors.ts";
import { isMap, type JsonMap } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import { findSourceKind } from "../../source-kinds/registry.ts";
import { getHouseholdStub, getSourceStub } from "../../stubs.ts";
import type { ExchangeBindings } from "../with-thread.ts";

/** Sources of one configuration that are tried; the status of the others shows a problem after their first poll. */
const MAX_CHECKED_SOURCES = 5;

/** What a provider refuses is a warning, since the configuration is stored. */
export async function configureHousehold(
  env: ExchangeBindings,
  principal: Principal,
  config: JsonMap,
): Promise<Outcome<{ warnings: string[] }>> {
  const { household } = principal;
  const done = await getHouseholdStub(env, household).settings.configure(
    config,
    toAuditSource(principal),
  );
  // The keys of removed members must stop working, and changed access must hold.
  clearCachedCredentials(household);
  if (!done.ok) return done;
  const checked = listSources(config).slice(0, MAX_CHECKED_SOURCES);
  const problems = await Promise.all(checked.map((source) => checkSource(env, household, source)));
  return ok({ warnings: [...done.value.warnings, ...problems.flat()] });
}

type NamedSource = Pick<SourceRecord, "name" | "kind">;

const canCheck = ({ kind }: NamedSource): boolean => findSourceKind(kind)?.check !== undefined;

const listSources = ({ sources }: JsonMap): NamedSource[] =>
  Object.entries(isMap(sources) ? sources : {})
    .flatMap(([name, entry]) => (isMap(entry) ? [{ name, kind: splitSource(entry).kind }] : []))
    .filter(canCheck);

/** @returns warnings; none for a kind that tries nothing */
export async function checkSource(
  env: Pick<ExchangeBindings, "SOURCES">,
  household: string,
  source: NamedSource,
): Promise<string[]> {
  if (!canCheck(source)) return [];
  const { name } = source;
  const problems = await getSourceStub(env, household, name).kind.check({ household, name });
  return problems.map((problem) => `sources.${name}: ${problem}`);
}
