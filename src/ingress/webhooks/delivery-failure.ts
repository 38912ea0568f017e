/** A verified channel tells that a message of ours never arrived: the household and the thread hear of it, once. */
import { householdStub, threadStub } from "../../stubs.ts";
import type { ChannelKind } from "../../channels/channel-kinds.ts";
import type { DeliveryFailure } from "../../contracts/thread.ts";

export interface FailedDelivery {
  household: string;
  ref: string;
  executor: string;
  channel: ChannelKind;
  /** The address, as the channel gives it. */
  identity: string;
  /** What the channel calls the message, in the spellings that it may have. */
  handles: readonly string[];
  /** One line for the history. */
  reason: string;
  /** Nothing will ever arrive at the address. */
  isPermanent: boolean;
}

export async function reportDeliveryFailure(
  env: Pick<Env, "HOUSEHOLDS" | "THREADS">,
  failure: FailedDelivery,
): Promise<void> {
  const { household, ref, channel, handles, reason } = failure;
  const addressState = failure.isPermanent ? await markUndeliverable(env, failure) : {};
  const thread = threadStub(env, household, ref);
  for (const handle of handles)
    if (await thread.recordDeliveryFailure({ channel, handle, reason, ...addressState })) return;
}

/** Nothing more is sent there; tells whether the member is reached elsewhere. */
async function markUndeliverable(
  env: Pick<Env, "HOUSEHOLDS">,
  { household, handles, ref, executor, channel, identity, reason }: FailedDelivery,
): Promise<Pick<DeliveryFailure, "addressState">> {
  const address = { executor, ref, channel, identity, handles: [...handles], reason };
  const hasOtherAddresses = await householdStub(env, household).markUndeliverable(address);
  return { addressState: hasOtherAddresses ? "elsewhere" : "nowhere" };
}
