import * as z from "zod";
import { defined } from "../../../mess/defined.ts";
import { ok } from "../../../mess/result.ts";
import type { Principal } from "../../../auth/principal.ts";
import { findInHouseholds } from "../caller.ts";
import { targetSchema, waitSecondsSchema } from "../requests/compose-request.ts";
import { resumeCall, waitOrAsk } from "../requests/ask-user.ts";
import { describeWaited } from "../requests/create-request.ts";
import { requestsOutputSchema } from "../results/structured-result.ts";
import { defineTool } from "../tool.ts";
import { listOpenTargets, waitForAny } from "../requests/wait-for-any.ts";
import { MAX_WAIT_SECONDS } from "../../../mess/wait-limits.ts";

const MAX_TARGETS = 20;

const cursorSchema = z.int().min(0);

export const waitTool = defineTool({
  name: "mess_wait",
  title: "Wait for an answer",
  description:
    "Returns when a request is answered, has ended or asks you something, or when the time is over. Call again with the returned cursor.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    re: z
      .union([targetSchema, z.array(targetSchema).min(1).max(MAX_TARGETS)])
      .optional()
      .describe("Ref or your id, or several; default: any open request of yours"),
    cursor: z
      .union([cursorSchema, z.record(targetSchema, cursorSchema)])
      .optional()
      .describe("Only later messages; from an earlier result; for several, by ref"),
    wait_seconds: waitSecondsSchema.describe("At most 45, the default"),
  }),
  output: requestsOutputSchema,
  async run({ re, cursor, wait_seconds, exchange }, call) {
    const { env, caller } = call;
    const seconds = wait_seconds ?? MAX_WAIT_SECONDS;
    const answers = await resumeCall(call);
    if (!answers.ok) return answers;
    const resumed = answers.value;
    const getCursor = (ref: string) =>
      resumed?.ref === ref ? resumed.cursor : typeof cursor === "object" ? cursor[ref] : undefined;
    if (typeof re === "string") {
      const after = typeof cursor === "number" ? cursor : getCursor(re);
      const wait = async (principal: Principal, target: string, position: number | undefined) => {
        const options = { cursor: position, seconds };
        const waited = await waitOrAsk(call, principal, target, options, resumed);
        if (!waited.ok) return waited;
        const { value } = waited;
        return ok("asked" in value ? value.asked : describeWaited(value.view, principal, caller));
      };
      return resumed
        ? await wait(resumed.principal, resumed.ref, resumed.cursor)
        : await findInHouseholds(caller, exchange, (principal) => wait(principal, re, after));
    }
    const targets = re
      ? ok(re.map((ref) => ({ ref, ...defined({ exchange }) })))
      : await listOpenTargets(env, caller, exchange, MAX_TARGETS);
    return targets.ok
      ? await waitForAny(call, targets.value, getCursor, seconds, resumed)
      : targets;
  },
});
