/** The ways to one member: one in each channel, in the order in which they are tried. */
import type { ContactAddress } from "../contracts/contacts.ts";
import type { Delivery } from "./delivery.ts";

export class ChannelSequence {
  #addresses: readonly ContactAddress[];

  constructor(addresses: readonly ContactAddress[]) {
    // One address in each channel: a delivery goes on by the channel's name.
    this.#addresses = addresses.filter(
      ({ channel }, index, all) => all.findIndex((one) => one.channel === channel) === index,
    );
  }

  get all(): readonly ContactAddress[] {
    return this.#addresses;
  }

  /**
   * Where the delivery goes next: where it was said to, else the first; a reminder goes to the one after the last.
   * @param last the channel by which its member was reached last
   */
  pickNext(
    { channel, alone, kind, attempts }: Delivery,
    last: () => string | null,
  ): ContactAddress | undefined {
    const named = this.#addresses.find((one) => one.channel === channel);
    if (alone || named) return named;
    const moves = kind === "reminder" && attempts === 0;
    return this.pickAfter(moves ? last() : null) ?? this.#addresses[0];
  }

  /** The first behind this one that takes something. */
  pickAfter(channel: string | null): ContactAddress | undefined {
    const at = this.#addresses.findIndex((one) => one.channel === channel);
    return at < 0 ? undefined : this.#addresses.slice(at + 1).find((one) => !isBroken(one));
  }

  /** Nothing can be sent there any more. */
  remove(channel: string): void {
    this.#addresses = this.#addresses.filter((one) => one.channel !== channel);
  }
}

const isBroken = ({ broken_until }: ContactAddress): boolean => broken_until !== undefined;
