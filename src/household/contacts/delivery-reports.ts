/** What became of what was sent: for the breakers, for answers that are to come, and for addresses that are gone. */
import { channelSchema } from "../../channels/schemas.ts";
import { reachOf } from "./owner-alerts.ts";
import type { DeadAddress, DeliveryReport } from "../../contracts/contacts.ts";
import type { Stores } from "../stores.ts";

/** What one attempt says about the member's channel, and about answers that are to come. */
export function reported(stores: Stores, report: DeliveryReport, now: number): void {
  const { executor, channel, ref, ok: taken, gone, identity, handle, alert = false } = report;
  const { breakers, sendings, events } = stores;
  const { breaker } = reachOf(stores, executor, alert);
  if (taken) breakers.succeeded(breaker, channel);
  else breakers.failed(breaker, channel, now);
  if (gone && breakers.gone(breaker, channel)) events.channelGone(executor, channel, ref, now);
  const known = channelSchema(channel).identity;
  if (taken && identity !== undefined && known) {
    sendings.sent(channel, known(identity), { actor: executor, ref }, { handle, alert }, now);
  }
}

/** The message that did not arrive told an owner of a thread that needs one. */
export const wasAlert = (
  { sendings }: Pick<Stores, "sendings">,
  { channel, identity, handles }: DeadAddress,
): boolean => {
  const known = channelSchema(channel).identity;
  return known !== undefined && sendings.wasAlert(channel, known(identity), handles);
};
