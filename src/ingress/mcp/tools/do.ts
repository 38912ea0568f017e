import * as z from "zod";
import { ask } from "../create-request.ts";
import { asking, requestText } from "../compose-request.ts";
import { defineTool } from "../tool.ts";

export const act = defineTool({
  name: "mess_do",
  title: "Ask for an action",
  description:
    "Have somebody or something change the physical world: move, buy, switch, clean, fix. Waits and returns like mess_observe.",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  input: z.strictObject({
    ...asking,
    confirm_before: z
      .boolean()
      .optional()
      .describe("They must ask for your yes before what cannot be undone"),
  }),
  run: ({ exchange, wait_seconds, ...asked }, call) =>
    ask({ text: requestText(asked), exchange, wait_seconds }, call),
});
