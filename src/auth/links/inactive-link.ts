import { refuse } from "../../mess/errors.ts";

/** A link that was good once. The page that it opens tells its causes apart. */
export const linkDead = (
  reason: "expired" | "revoked" | "finished",
  status?: string,
): ReturnType<typeof refuse> =>
  refuse(
    "link_dead",
    status === undefined ? `this link is ${reason}` : `this link ended with its thread: ${status}`,
    "Ask whoever sent it for a new one.",
    { reason, ...(status === undefined ? {} : { status }) },
  );
