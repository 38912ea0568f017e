/** Files that were sent before the message that names them. The caller holds the transaction. */
import type { StagedBlob } from "../../contracts/thread-uploads.ts";
import { cutFileName } from "../../mess/file-names.ts";
import type { ThreadTables } from "../migrations.ts";

export class UploadTable {
  readonly #tables: ThreadTables;
  /** Cached, because every append needs it. */
  #oldest: { at: number | undefined } | undefined;

  constructor(tables: ThreadTables) {
    this.#tables = tables;
  }

  /** Call this when a transaction that wrote here was rolled back. */
  clearCache(): void {
    this.#oldest = undefined;
  }

  add(blob: StagedBlob, now: number): void {
    this.#oldest = undefined;
    this.#tables.insert(
      "uploads",
      "INSERT OR REPLACE INTO uploads (token, blob, at) VALUES (?, ?, ?)",
      blob.token,
      JSON.stringify(blob),
      now,
    );
  }

  find(token: string): StagedBlob | undefined {
    return this.#select("token = ?", token)[0];
  }

  list(): StagedBlob[] {
    return this.#select("true");
  }

  /** Uploads that were staged at or before the instant. */
  listBefore(instant: number): StagedBlob[] {
    return this.#select("at <= ?", instant);
  }

  /** When the oldest waiting upload was staged. */
  getOldest(): number | undefined {
    this.#oldest ??= { at: readOldest(this.#tables, "uploads") };
    return this.#oldest.at;
  }

  remove(token: string): void {
    this.#oldest = undefined;
    this.#tables.run("uploads", "DELETE FROM uploads WHERE token = ?", token);
  }

  #select(where: string, ...values: (string | number)[]): StagedBlob[] {
    return this.#tables
      .run<{ blob: string }>("uploads", `SELECT blob FROM uploads WHERE ${where}`, ...values)
      .map(({ blob }) => parseUpload(blob));
  }
}

/** When the oldest row of the table was added; undefined where it has none. */
export const readOldest = (
  tables: ThreadTables,
  name: "transfers" | "uploads",
): number | undefined =>
  tables.run<{ at: number | null }>(name, `SELECT min(at) AS at FROM ${name}`)[0]?.at ?? undefined;

/** Cuts names that versions without the limit have stored. */
function parseUpload(text: string): StagedBlob {
  const blob = JSON.parse(text) as StagedBlob;
  return blob.original === undefined ? blob : { ...blob, original: cutFileName(blob.original) };
}
