/** How an API misbehaves for its next requests: what tests and the simulator ask of a local server. */

export type Fault =
  /** The connection breaks. */
  | "broken"
  /** A refusal with this status and, where given, the API's own code and a wait in seconds. */
  | { status: number; code?: number; wait?: number };

/** Faults in order, one for each request; an outage lasts until it is lifted. */
export class FaultQueue {
  #next: Fault[] = [];
  #outage: Fault | undefined;

  readonly add = (...faults: Fault[]): void => {
    this.#next.push(...faults);
  };

  /** Every request until `lift` gets it. */
  readonly outage = (fault: Fault): void => {
    this.#outage = fault;
  };

  readonly lift = (): void => {
    this.#outage = undefined;
  };

  /** The fault of this request. Throws where the connection is to break. */
  take(): Exclude<Fault, "broken"> | undefined {
    const fault = this.#next.shift() ?? this.#outage;
    if (fault === "broken") throw new Error("the connection breaks");
    return fault;
  }
}
