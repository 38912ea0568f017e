import { householdStub } from "../../../stubs.ts";
import * as z from "zod";
import { boundedText } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import type { Principal } from "../../../auth/principal.ts";
import type { Stores } from "../../../exchange/with-thread.ts";
import { isOpen, readWindow } from "../../../mess/routing/availability.ts";
import { claimsOf } from "../../../mess/routing/capabilities.ts";
import { ok } from "../../../mess/result.ts";
import type { Executor, Route } from "../../../mess/routing/routing.ts";
import { capabilityId } from "../../../mess/wire/schema.ts";
import { memberOf } from "../caller.ts";
import { inlineList } from "../format-lists.ts";
import { defineTool } from "../tool.ts";
import { inline } from "../text/untrusted-text.ts";

const MOST = 20;

export const capabilities = defineTool({
  name: "mess_capabilities",
  title: "What can be done here",
  description:
    "Who can do what here, who is within their hours, and who is away. With requires: whom such a request would go to now; nothing is sent.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    requires: z.array(boundedText(LIMITS.name).min(1)).max(16).optional(),
  }),
  async run({ requires, exchange }, { env, caller }) {
    const member = memberOf(caller, exchange);
    if (!member.ok) return member;
    return ok(
      requires === undefined
        ? await whoCan(env, member.value)
        : routeText(await tried(env, member.value, requires)),
    );
  },
});

const tried = (env: Stores, { household, actor }: Principal, requires: string[]): Promise<Route> =>
  householdStub(env, household).dryRun(
    { intent: "dry run", requires: requires.map(capabilityId) },
    actor,
  );

function routeText({ by, candidates, passed_over }: Route): string {
  const reasons = passed_over.map(({ id, reason }) => `${id} ${reason}`);
  const passed = reasons.length > 0 ? ` Passed over: ${inlineList(reasons, 8)}.` : "";
  if (by === "nobody") return `Nobody here could be asked.${passed}`;
  const asked = candidates.map(
    ({ id, kind, rung, reasons: why }) => `${rung}. ${id} (${kind}): ${why.join("; ")}`,
  );
  return `Would go to:\n${asked
    .slice(0, MOST)
    .map((line) => inline(line, 200))
    .join("\n")}\n${passed.trim()}`.trim();
}

async function whoCan(env: Stores, { household }: Principal): Promise<string> {
  const stub = householdStub(env, household);
  const [executors, settings, presence] = await Promise.all([
    stub.executors(),
    stub.settings(),
    stub.presence(),
  ]);
  if (executors.length === 0)
    return "Nobody can be asked here yet: an owner must add an executor first.";
  const zone = settings?.time_zone ?? "UTC";
  const away = new Map(
    presence.flatMap(({ actor, state, until }) => (state === "away" ? [[actor, until]] : [])),
  );
  const lines = executors.slice(0, MOST).map((executor) => {
    const until = away.get(executor.id);
    const absent = away.has(executor.id) ? `away${until ? ` until ${until}` : ""}` : undefined;
    return executorLine(executor, absent ?? hoursOf(executor, zone));
  });
  const left = executors.length - lines.length;
  return [...lines, ...(left > 0 ? [`${left} more: mess://executors.`] : [])].join("\n");
}

function executorLine(executor: Executor, presence: string): string {
  const { id, kind } = executor;
  const can = claimsOf(executor).map((claim) => claim.id);
  const what = can.length > 0 ? inlineList(can, 12) : "nothing special";
  return `${id} (${kind}, ${presence}): ${what}`;
}

/** Whether the executor may be disturbed now, by its own hours. */
function hoursOf({ schedule, availability, time_zone }: Executor, zone: string): string {
  if (availability === "on_demand") return "on demand";
  const window = schedule === undefined ? undefined : readWindow(schedule);
  if (!window) return "any time";
  return isOpen(window, Date.now(), time_zone ?? zone)
    ? "within hours now"
    : `outside hours now (${inline(schedule ?? "", 40)})`;
}
