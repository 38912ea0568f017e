import { outputTextSchema } from "../results/output-text.ts";
import { getHouseholdStub } from "../../../stubs.ts";
import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import type { Principal } from "../../../auth/principal.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import { isWindowOpen, readWindow } from "../../../mess/routing/availability.ts";
import { listClaims } from "../../../mess/routing/capabilities.ts";
import { ok } from "../../../mess/result.ts";
import type { Executor, Route } from "../../../mess/routing/routing.ts";
import { normalizeCapabilityId } from "../../../mess/wire/schema.ts";
import { findMember } from "../caller.ts";
import { formatInlineList } from "../text/format-lists.ts";
import { buildStructuredResult } from "../results/structured-result.ts";
import { defineTool } from "../tool.ts";
import { inlineText } from "../text/untrusted-text.ts";

const MAX_LISTED = 20;

export const capabilitiesTool = defineTool({
  name: "mess_capabilities",
  title: "What can be done here",
  description:
    "Lists capabilities, executors, their hours and who is away. With requires: who would get such a request now; sends nothing.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    requires: z
      .array(boundedTextSchema(LIMITS.nameChars).min(1))
      .max(16)
      .optional()
      .describe("Capability names"),
  }),
  output: z.looseObject({ text: outputTextSchema, executors: z.array(z.looseObject({})) }),
  async run({ requires, exchange }, { env, caller }) {
    const member = findMember(caller, exchange);
    if (!member.ok) return member;
    if (requires === undefined) return ok(await listExecutors(env, member.value));
    const route = await previewRoute(env, member.value, requires);
    const executors = route.candidates.map(({ id }) => ({ id }));
    return ok(buildStructuredResult(formatRoute(route), { executors }));
  },
});

const previewRoute = (
  env: ExchangeBindings,
  { household, actor }: Principal,
  requires: string[],
): Promise<Route> =>
  getHouseholdStub(env, household).threads.previewRoute(
    { intent: "dry run", requires: requires.map(normalizeCapabilityId) },
    actor,
  );

function formatRoute({ by, candidates, passed_over }: Route): string {
  const reasons = passed_over.map(({ id, reason }) => `${id} ${reason}`);
  const passed = reasons.length > 0 ? ` Passed over: ${formatInlineList(reasons, 8)}.` : "";
  if (by === "nobody") return `Nobody here could be asked.${passed}`;
  const lines = candidates.map(
    ({ id, kind, rung: step, reasons }) => `${step}. ${id} (${kind}): ${reasons.join("; ")}`,
  );
  return `Would go to:\n${lines
    .slice(0, MAX_LISTED)
    .map((line) => inlineText(line, 200))
    .join("\n")}\n${passed.trim()}`.trim();
}

async function listExecutors(
  env: ExchangeBindings,
  { household }: Principal,
): Promise<CallToolResult> {
  const stub = getHouseholdStub(env, household);
  const [executors, settings, presence] = await Promise.all([
    stub.settings.listExecutors(),
    stub.settings.getSettings(),
    stub.contacts.listPresence(),
  ]);
  if (executors.length === 0)
    return buildStructuredResult(
      "Nobody can be asked here yet: an owner must add an executor first.",
      { executors: [] },
    );
  const zone = settings?.time_zone ?? "UTC";
  const away = new Map(
    presence.flatMap(({ actor, state, until }) => (state === "away" ? [[actor, until]] : [])),
  );
  const lines = executors.slice(0, MAX_LISTED).map((executor) => {
    const until = away.get(executor.id);
    const absent = away.has(executor.id) ? `away${until ? ` until ${until}` : ""}` : undefined;
    return formatExecutor(executor, absent ?? formatHours(executor, zone));
  });
  const left = executors.length - lines.length;
  const text = [...lines, ...(left > 0 ? [`${left} more: mess://executors.`] : [])].join("\n");
  const listed = executors.slice(0, MAX_LISTED).map((executor) => ({
    id: executor.id,
    capabilities: listClaims(executor).map(({ id }) => id),
  }));
  return buildStructuredResult(text, { executors: listed });
}

function formatExecutor(executor: Executor, presence: string): string {
  const { id, kind } = executor;
  const can = listClaims(executor).map((claim) => claim.id);
  const abilities = can.length > 0 ? formatInlineList(can, 12) : "nothing special";
  return `${id} (${kind}, ${presence}): ${abilities}`;
}

/** Whether the executor's own hours allow contacting it now. */
function formatHours({ schedule, availability, time_zone }: Executor, zone: string): string {
  if (availability === "on_demand") return "on demand";
  const window = schedule === undefined ? undefined : readWindow(schedule);
  if (!window) return "any time";
  return isWindowOpen(window, Date.now(), time_zone ?? zone)
    ? "within hours now"
    : `outside hours now (${inlineText(schedule ?? "", 40)})`;
}
