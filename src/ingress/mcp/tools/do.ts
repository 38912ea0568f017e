import * as z from "zod";
import { createRequest } from "../requests/create-request.ts";
import { REQUEST_FIELDS, composeRequest } from "../requests/compose-request.ts";
import { requestOutputSchema } from "../results/structured-result.ts";
import { defineTool } from "../tool.ts";

export const doTool = defineTool({
  name: "mess_do",
  title: "Ask for an action",
  description:
    "Ask a person, robot or service to change something in the physical world: move, buy, switch, clean, fix. Waits and returns like mess_observe.",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  input: z.strictObject({
    ...REQUEST_FIELDS,
    confirm_before: z
      .boolean()
      .optional()
      .describe("The executor must ask for your confirmation before irreversible steps"),
  }),
  output: requestOutputSchema,
  run: ({ exchange, wait_seconds, ...fields }, call) =>
    createRequest({ request: composeRequest(fields), exchange, wait_seconds }, call),
});
