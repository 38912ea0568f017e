import * as z from "zod";
import { createRequest } from "../create-request.ts";
import { REQUEST_FIELDS, composeRequest } from "../compose-request.ts";
import { defineTool } from "../tool.ts";

export const observeTool = defineTool({
  name: "mess_observe",
  title: "Ask for an observation",
  description:
    "Have a person, robot or service look, check, measure or photograph something in the physical world. Waits a while; if no answer came, returns the ref and what to call next.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  input: z.strictObject(REQUEST_FIELDS),
  run: ({ exchange, wait_seconds, ...fields }, call) =>
    // Who only wants to know is content with the answer to somebody else who does.
    createRequest(
      { text: composeRequest({ ...fields, coalesce: true }), exchange, wait_seconds },
      call,
    ),
});
