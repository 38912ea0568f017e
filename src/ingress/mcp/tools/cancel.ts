import * as z from "zod";
import { boundedText } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { whereFound } from "../caller.ts";
import { re } from "../compose-request.ts";
import { say } from "../append-to-thread.ts";
import { defineTool } from "../tool.ts";

export const cancel = defineTool({
  name: "mess_cancel",
  title: "Cancel a request",
  description: "Call off a request that is not finished. Whoever works on it is told.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  input: z.strictObject({ re, reason: boundedText(LIMITS.intent).optional() }),
  run: ({ re: target, reason, exchange }, { env, caller }) =>
    whereFound(caller, exchange, (principal) =>
      say(env, caller, principal, target, { cancel: reason === undefined ? {} : { reason } }),
    ),
});
