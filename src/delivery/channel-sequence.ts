/** The ways to one member: one in each channel, in the order in which they are tried. */
import type { ContactAddress } from "../contracts/contacts.ts";
import type { Delivery } from "./delivery.ts";

export class Addresses {
  #all: readonly ContactAddress[];

  constructor(given: readonly ContactAddress[]) {
    // One address in each channel: a delivery goes on by the channel's name.
    this.#all = given.filter(
      ({ channel }, index, all) => all.findIndex((one) => one.channel === channel) === index,
    );
  }

  get all(): readonly ContactAddress[] {
    return this.#all;
  }

  /**
   * Where the delivery goes next: where it was said to, else the first; a reminder goes to the one after the last.
   * @param last the channel by which its member was reached last
   */
  next(
    { channel, alone, kind, attempts }: Delivery,
    last: () => string | null,
  ): ContactAddress | undefined {
    const named = this.#all.find((one) => one.channel === channel);
    if (alone || named) return named;
    const moves = kind === "reminder" && attempts === 0;
    return this.after(moves ? last() : null) ?? this.#all[0];
  }

  /** The first behind this one that takes something. */
  after(channel: string | null): ContactAddress | undefined {
    const at = this.#all.findIndex((one) => one.channel === channel);
    return at < 0 ? undefined : this.#all.slice(at + 1).find((one) => !isBroken(one));
  }

  /** Nothing can be sent there any more. */
  drop(channel: string): void {
    this.#all = this.#all.filter((one) => one.channel !== channel);
  }
}

const isBroken = ({ broken_until }: ContactAddress): boolean => broken_until !== undefined;
