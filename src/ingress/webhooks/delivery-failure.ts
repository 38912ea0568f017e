/** Records a delivery failure that a verified channel reported, once, in the household and the thread. */
import { getHouseholdStub, getThreadStub } from "../../stubs.ts";
import type { ChannelKind } from "../../channels/registry.ts";
import type { DeliveryFailure } from "../../contracts/thread.ts";

export interface FailedDelivery {
  household: string;
  ref: string;
  executor: string;
  channel: ChannelKind;
  /** The address in the channel's own form. */
  identity: string;
  /** The channel's ids of the message, in all possible spellings. */
  handles: readonly string[];
  /** One line for the thread's history. */
  reason: string;
  /** Whether the address is permanently invalid. */
  isPermanent: boolean;
}

export async function reportDeliveryFailure(
  env: Pick<Env, "HOUSEHOLDS" | "THREADS">,
  failure: FailedDelivery,
): Promise<void> {
  const { household, ref, channel, handles, reason } = failure;
  const addressState = failure.isPermanent ? await markUndeliverable(env, failure) : {};
  const thread = getThreadStub(env, household, ref);
  for (const handle of handles)
    if (await thread.recordDeliveryFailure({ channel, handle, reason, ...addressState })) return;
}

/** Stops deliveries to the address; returns whether the member has another channel. */
async function markUndeliverable(
  env: Pick<Env, "HOUSEHOLDS">,
  { household, handles, ref, executor, channel, identity, reason }: FailedDelivery,
): Promise<Pick<DeliveryFailure, "addressState">> {
  const address = { executor, ref, channel, identity, handles: [...handles], reason };
  const hasOtherAddresses = await getHouseholdStub(env, household).contacts.markUndeliverable(
    address,
  );
  return { addressState: hasOtherAddresses ? "elsewhere" : "nowhere" };
}
