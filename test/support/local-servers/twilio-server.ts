/** Starts a local Twilio server. */
import { serveLocally } from "./serve.ts";
import { createTwilio, type TwilioOptions } from "../channels/twilio.ts";

/** `act.sms` sends an SMS from a phone; `act.receipt` sends a delivery report of the carrier. */
export async function startTwilio(options: Omit<TwilioOptions, "api"> = {}) {
  const account = createTwilio(options);
  const { origin, stop } = await serveLocally(account.handle);
  account.movedTo(origin);
  return { ...account, api: origin, stop };
}
