/** The household's audit trail, which owners read. */
import type { AuditRpc, AuditSource, ThreadAuditRecord } from "../../contracts/audit.ts";
import type { JsonMap } from "../../mess/json.ts";
import type { HouseholdContext } from "../household-context.ts";

export class AuditFacet implements AuditRpc {
  readonly #context: HouseholdContext;

  constructor(context: HouseholdContext) {
    this.#context = context;
  }

  async listEntries(
    before: number | undefined,
    limit: number,
  ): ReturnType<AuditRpc["listEntries"]> {
    return this.#context.openStores()?.audit.listBefore(before, limit) ?? { entries: [] };
  }

  async recordExport(source: AuditSource, detail: JsonMap): Promise<void> {
    this.#context.write(({ audit }, now) =>
      audit.append({ action: "household_exported", source, detail }, now),
    );
  }

  async recordReport(record: ThreadAuditRecord): Promise<void> {
    this.#context.write(({ audit, settings }, now) => {
      audit.append(record, now);
      if (record.action === "file_deleted") settings.set("files_counted", false);
    });
  }
}
