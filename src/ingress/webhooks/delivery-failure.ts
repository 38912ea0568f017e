/** A verified channel tells that a message of ours never arrived: the household and the thread hear of it, once. */
import { householdStub, threadStub } from "../../stubs.ts";
import type { ChannelKind } from "../../channels/channel-kinds.ts";
import type { Undelivered } from "../../contracts/thread.ts";

export interface NeverArrived {
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
  gone: boolean;
}

export async function neverArrived(
  env: Pick<Env, "HOUSEHOLDS" | "THREADS">,
  told: NeverArrived,
): Promise<void> {
  const { household, ref, channel, handles, reason } = told;
  const gone = told.gone ? await endAddress(env, told) : {};
  const thread = threadStub(env, household, ref);
  for (const handle of handles)
    if (await thread.undelivered({ channel, handle, reason, ...gone })) return;
}

/** Nothing more is sent there; tells whether the member is reached elsewhere. */
async function endAddress(
  env: Pick<Env, "HOUSEHOLDS">,
  { household, handles, ref, executor, channel, identity, reason }: NeverArrived,
): Promise<Pick<Undelivered, "gone">> {
  const dead = { executor, ref, channel, identity, handles: [...handles], reason };
  const others = await householdStub(env, household).addressGone(dead);
  return { gone: others ? "elsewhere" : "nowhere" };
}
