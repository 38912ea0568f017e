/** Twilio on a port of this machine. */
import { serveLocally } from "./serve.ts";
import { createTwilio, type TwilioOptions } from "./twilio.ts";

/** `act.sms` is a phone that writes; `act.receipt` a carrier that tells what became of a message. */
export async function startTwilio(options: Omit<TwilioOptions, "api"> = {}) {
  const account = createTwilio(options);
  const { origin, stop } = await serveLocally(account.handle);
  account.movedTo(origin);
  return { ...account, api: origin, stop };
}
