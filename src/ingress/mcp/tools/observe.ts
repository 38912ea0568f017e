import * as z from "zod";
import { createRequest } from "../requests/create-request.ts";
import { REQUEST_FIELDS, composeRequest } from "../requests/compose-request.ts";
import { requestOutputSchema } from "../results/structured-result.ts";
import { defineTool } from "../tool.ts";

export const observeTool = defineTool({
  name: "mess_observe",
  title: "Ask for an observation",
  description:
    "Ask a person, robot or service to look at, check, measure or photograph something in the physical world. Waits for an answer; if there is none yet, returns the ref and what to call next.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  input: z.strictObject(REQUEST_FIELDS),
  output: requestOutputSchema,
  run: ({ exchange, wait_seconds, ...fields }, call) =>
    // A requestor of an observation can accept the answer to another requestor who wants the same.
    createRequest(
      { request: composeRequest({ ...fields, coalesce: true }), exchange, wait_seconds },
      call,
    ),
});
