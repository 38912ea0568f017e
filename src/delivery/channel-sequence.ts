/** The addresses of one member: one for each channel, in the order in which they are tried. */
import type { ContactAddress } from "../contracts/contacts.ts";
import type { Delivery } from "./delivery.ts";

export class ChannelSequence {
  #addresses: readonly ContactAddress[];

  constructor(addresses: readonly ContactAddress[]) {
    // One address for each channel, because a delivery names only the channel that comes next.
    this.#addresses = addresses.filter(
      ({ channel }, index, all) => all.findIndex((one) => one.channel === channel) === index,
    );
  }

  get all(): readonly ContactAddress[] {
    return this.#addresses;
  }

  /**
   * The next address of a delivery: that of its channel, else the first; a reminder takes the one after the last.
   * @param last the channel that reached the member most recently
   */
  pickNext(
    { channel, isChannelFixed, kind, attempts }: Delivery,
    last: () => string | null,
  ): ContactAddress | undefined {
    const namedAddress = this.#addresses.find((one) => one.channel === channel);
    if (isChannelFixed || namedAddress) return namedAddress;
    const isMovingOn = kind === "reminder" && attempts === 0;
    return this.pickAfter(isMovingOn ? last() : null) ?? this.#addresses[0];
  }

  /** The first address after this one that still accepts messages. */
  pickAfter(channel: string | null): ContactAddress | undefined {
    const at = this.#addresses.findIndex((one) => one.channel === channel);
    return at < 0 ? undefined : this.#addresses.slice(at + 1).find((one) => !isBroken(one));
  }

  /** Marks the channel as one that accepts nothing more. */
  remove(channel: string): void {
    this.#addresses = this.#addresses.filter((one) => one.channel !== channel);
  }
}

const isBroken = ({ broken_until }: ContactAddress): boolean => broken_until !== undefined;
