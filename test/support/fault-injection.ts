/** Faults of a local server for its next requests, set by tests and by the simulator. */

export type Fault =
  /** Closes the connection without a response. */
  | "broken"
  /** A refusal with this status and, optionally, the API's error code and a retry delay in seconds. */
  | { status: number; code?: number; wait?: number };

/** Faults in order, one for each request. An outage lasts until it is lifted. */
export class FaultQueue {
  #next: Fault[] = [];
  #outage: Fault | undefined;

  readonly add = (...faults: Fault[]): void => {
    this.#next.push(...faults);
  };

  /** Applies the fault to every request until `endOutage` is called. */
  readonly outage = (fault: Fault): void => {
    this.#outage = fault;
  };

  readonly endOutage = (): void => {
    this.#outage = undefined;
  };

  /** The fault of this request. Throws if the connection must be closed. */
  take(): Exclude<Fault, "broken"> | undefined {
    const fault = this.#next.shift() ?? this.#outage;
    if (fault === "broken") throw new Error("the connection breaks");
    return fault;
  }
}
