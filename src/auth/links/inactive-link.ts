import { refuse } from "../../mess/errors.ts";

/** A callback token lasts as long as its thread; what the robot signs is taken as before (decision 27). */
export const callbackTokenDead = (status: string): ReturnType<typeof refuse> =>
  refuse(
    "link_dead",
    `this token ended with its thread: ${status}`,
    "Sign the callback with the webhook's secret, or send it with an API key.",
    { reason: "finished", status },
  );

/** A link that was good once. The page that it opens tells its causes apart. */
export const refuseInactiveLink = (
  reason: "expired" | "revoked" | "finished",
  status?: string,
): ReturnType<typeof refuse> =>
  refuse(
    "link_dead",
    status === undefined ? `this link is ${reason}` : `this link ended with its thread: ${status}`,
    "Ask whoever sent it for a new one.",
    { reason, ...(status === undefined ? {} : { status }) },
  );
