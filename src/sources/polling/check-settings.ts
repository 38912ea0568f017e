/** Tries the settings of a source with its provider, for the owner who has just saved them. */
import { getConfig } from "../../config.ts";
import { createEgress } from "../../egress/egress-fetch.ts";
import { logDefect } from "../../log.ts";
import { findSourceKind } from "../../source-kinds/registry.ts";
import { getHouseholdStub } from "../../stubs.ts";
import type { SourceContext } from "../source-context.ts";

/** @returns what is wrong; empty for kinds that check nothing, and for settings that are incomplete */
export async function checkSettings(
  { env }: Pick<SourceContext, "env">,
  { household, name: source }: { household: string; name: string },
): Promise<string[]> {
  const opened = await getHouseholdStub(env, household).sources.openSettings(source);
  const kind = opened && findSourceKind(opened.record.kind);
  if (!kind?.check || opened?.record.status === "disconnected") return [];
  const settings = kind.settings.safeParse(opened?.settings);
  if (!settings.success) return [];
  const { loopback, origin } = getConfig(env);
  const egress = createEgress({ loopback, origin });
  try {
    return await kind.check({
      household,
      source,
      settings: settings.data,
      egress,
      env,
      now: Date.now(),
    });
  } catch (error) {
    logDefect(error, { object: "source" });
    return ["the exchange failed to check it"];
  }
}
