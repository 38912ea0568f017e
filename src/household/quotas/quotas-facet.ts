/** Counts what the household stores, and shows and sets its limits. */
import type { NewFiles, QuotasRpc, QuotaUsage } from "../../contracts/quotas.ts";
import type { Outcome } from "../../mess/errors.ts";
import type { QuotaLimits } from "../../mess/quotas.ts";
import { fail, ok } from "../../mess/result.ts";
import type { HouseholdContext } from "../household-context.ts";
import { checkNewFiles, readUsage } from "./quotas.ts";

export class QuotasFacet implements QuotasRpc {
  readonly #context: HouseholdContext;

  constructor(context: HouseholdContext) {
    this.#context = context;
  }

  async reserveFiles(files: NewFiles): Promise<Outcome<true>> {
    return this.#context.transact((stores, now) => {
      const error = checkNewFiles(stores, files, now);
      if (error) return fail(error);
      stores.storedFiles.add(files.actor, files, now);
      return ok(true as const);
    });
  }

  async releaseFiles(files: NewFiles): Promise<void> {
    this.#context.write(({ storedFiles }, now) => storedFiles.subtract(files.actor, files, now));
  }

  async recountFiles(): Promise<void> {
    this.#context.write(({ settings }) => settings.set("files_counted", false));
  }

  async readUsage(): Promise<Outcome<QuotaUsage>> {
    return this.#context.transact((stores, now) => ok(readUsage(stores, now)));
  }

  async setLimits(changed: Partial<QuotaLimits>): Promise<Outcome<QuotaUsage>> {
    return this.#context.transact((stores, now) => {
      stores.settings.set("limits", changed);
      return ok(readUsage(stores, now));
    });
  }
}
