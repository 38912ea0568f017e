/** Notifies the household of the results of deliveries: each attempt, and each delivery that was given up. */
import type { DeliveryReport } from "../contracts/contacts.ts";
import type { DerivedJob } from "../object/derived-jobs.ts";
import { withTimeout } from "../object/with-timeout.ts";
import { getHouseholdStub } from "../stubs.ts";
import type { DeliveryPort } from "./delivery-port.ts";
import { HOUSEHOLD_TIMEOUT_MS } from "./household-call.ts";

/** Reports that wait for a household that does not respond; the oldest are dropped first. */
const MAX_REPORTS = 200;

export class DeliveryReports {
  readonly #env: Pick<Env, "HOUSEHOLDS">;
  readonly #port: DeliveryPort;
  /** In memory only: circuit breakers and the matching of replies work without some of them. */
  #reports: DeliveryReport[] = [];

  constructor(env: Pick<Env, "HOUSEHOLDS">, port: DeliveryPort) {
    this.#env = env;
    this.#port = port;
  }

  add(report: DeliveryReport): void {
    this.#reports.push(report);
  }

  readonly attemptJob: DerivedJob = {
    isNeeded: () => this.#reports.length > 0,
    run: async () => {
      const reports = this.#reports.splice(0);
      try {
        const { contacts } = this.#getHousehold();
        await withTimeout(HOUSEHOLD_TIMEOUT_MS, contacts.reportDeliveries(reports));
      } catch (error) {
        this.#reports = [...reports, ...this.#reports].slice(-MAX_REPORTS);
        throw error;
      }
    },
  };

  /** The row of a given-up delivery shows whether the household was notified. */
  readonly failureJob: DerivedJob = {
    isNeeded: () => this.#port.deliveries.listUnreported().length > 0,
    run: async () => {
      const { deliveries } = this.#port;
      for (const { id, executor, at } of deliveries.listUnreported()) {
        await withTimeout(
          HOUSEHOLD_TIMEOUT_MS,
          this.#getHousehold().events.recordDeliveryFailure(this.#port.getSummary(), executor, at),
        );
        this.#port.runTransaction(() => deliveries.markReported(id));
      }
    },
  };

  #getHousehold() {
    return getHouseholdStub(this.#env, this.#port.getHousehold());
  }
}
