import { defined } from "../../mess/defined.ts";
import { refuse } from "../../mess/errors.ts";

/** A callback token ends with its thread, but the machine's signed callbacks are still accepted (decision 27). */
export const refuseDeadCallbackToken = (status: string): ReturnType<typeof refuse> =>
  refuse(
    "link_dead",
    `the token ended with its thread, which is ${status}`,
    "Sign the callback with the webhook's secret, or authenticate with an API key.",
    { reason: "finished", status },
  );

/** The refusal for a link that was valid before. The page shows the cause to the reader. */
export const refuseInactiveLink = (
  reason: "expired" | "revoked" | "finished",
  status?: string,
  note?: string,
): ReturnType<typeof refuse> =>
  refuse(
    "link_dead",
    status === undefined
      ? `this link is ${reason}`
      : `this link ended with its thread, which is ${status}`,
    "Ask the sender for a new link.",
    { reason, ...defined({ status, note }) },
  );
