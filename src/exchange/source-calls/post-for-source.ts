/** Sends the requests by which message sources ask owners for an approval, or show them an urgent message. */
import type { PostForSource } from "../../contracts/sources.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Outcome } from "../../mess/errors.ts";
import { buildSourceRequestor } from "../../mess/sources/request-origin.ts";
import { fail, ok } from "../../mess/result.ts";
import { type PostedEntry, sendMessages } from "../exchange.ts";
import type { ExchangeBindings } from "../with-thread.ts";

const buildPrincipal = (household: string, source: string): Principal => ({
  household,
  actor: buildSourceRequestor(source),
  role: "agent",
});

export const createPostForSource =
  (env: ExchangeBindings): PostForSource =>
  async (household, message, { key, source, origin }) => {
    const posted = await sendMessages(env, buildPrincipal(household, source), {
      messages: [message],
      channel: "source",
      key,
      ...(origin ? { opens: { origin, owner: true as const } } : {}),
    });
    return posted.ok ? readRef(posted.value.entries[0]!) : posted;
  };

function readRef(entry: PostedEntry): Outcome<string> {
  if ("error" in entry) return fail(entry.error);
  const ref = "ack" in entry ? entry.ack["ref"] : undefined;
  if (typeof ref !== "string") throw new Error("a message was acked without its ref");
  return ok(ref);
}
