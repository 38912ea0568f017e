/** Sends messages that members of AI groups wrote to people and robots, in the name of these members. */
import { isStillLive } from "../../auth/live-credential.ts";
import type { PostForMember } from "../../contracts/groups.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { fail, ok } from "../../mess/result.ts";
import { type PostedEntry, sendMessages } from "../exchange.ts";
import type { ExchangeBindings } from "../with-thread.ts";

export const createPostForMember =
  (env: ExchangeBindings): PostForMember =>
  async (principal, message, options) => {
    // The message may have waited, and its credential may have ended in the meantime.
    if (!(await isStillLive(env, principal))) return refuseEndedCredential();
    const messages = [message];
    const posted = await sendMessages(env, principal, { messages, channel: "group", ...options });
    return posted.ok ? readRef(posted.value.entries[0]!) : posted;
  };

function readRef(entry: PostedEntry): Outcome<string> {
  if ("error" in entry) return fail(entry.error);
  const ref = "ack" in entry ? entry.ack["ref"] : undefined;
  if (typeof ref !== "string") throw new Error("a message was acked without its ref");
  return ok(ref);
}

const refuseEndedCredential = () =>
  refuse(
    "unauthenticated",
    "the key or grant with which it was sent has ended",
    "Call rejoin with a new one, and send it again.",
  );
