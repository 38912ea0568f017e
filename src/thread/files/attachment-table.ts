/** The files of a thread: those of a change are in the rows of its documents, those of an import in a table. */
import type { Attachment } from "../../mess/envelope.ts";
import { cutFileName } from "../../mess/file-names.ts";
import type { ThreadTables } from "../migrations.ts";

type AttachmentRow = {
  name: string;
  serial: number;
  original: string | null;
  mime: string;
  size: number;
  key: string;
};

export class AttachmentTable {
  readonly #sql: SqlStorage;
  readonly #tables: ThreadTables;

  constructor(sql: SqlStorage, tables: ThreadTables) {
    this.#sql = sql;
    this.#tables = tables;
  }

  list(): Attachment[] {
    const ofDocuments = this.#sql
      .exec<{ files: string }>(
        "SELECT attachments AS files FROM documents WHERE attachments IS NOT NULL",
      )
      .toArray()
      .flatMap(({ files }) => JSON.parse(files) as Attachment[]);
    const others = this.#tables
      .run<AttachmentRow>("attachments", "SELECT * FROM attachments")
      .map(toAttachment);
    return [...ofDocuments, ...others].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): Attachment | undefined {
    const [row] = this.#sql
      .exec<{ files: string | null }>(
        "SELECT attachments AS files FROM documents WHERE serial = ?",
        readAttachmentSerial(name),
      )
      .toArray();
    const files = JSON.parse(row?.files ?? "[]") as Attachment[];
    const query = "SELECT * FROM attachments WHERE name = ?";
    return (
      files.find((one) => one.name === name) ??
      this.#tables.run<AttachmentRow>("attachments", query, name).map(toAttachment)[0]
    );
  }

  /** Removes a file from the list of its message. */
  remove(name: string, serial: number): void {
    const [row] = this.#sql
      .exec<{ files: string | null }>(
        "SELECT attachments AS files FROM documents WHERE serial = ?",
        serial,
      )
      .toArray();
    const files = JSON.parse(row?.files ?? "[]") as Attachment[];
    const left = files.filter((one) => one.name !== name);
    if (left.length < files.length)
      this.#sql.exec(
        "UPDATE documents SET attachments = ? WHERE serial = ?",
        left.length === 0 ? null : JSON.stringify(left),
        serial,
      );
    this.#tables.run("attachments", "DELETE FROM attachments WHERE name = ?", name);
  }

  /** Stores a file of an imported thread, whose name may be any. */
  insert({ name, serial, original, mime, size, key }: Attachment): void {
    this.#tables.insert(
      "attachments",
      "INSERT INTO attachments (name, serial, original, mime, size, key) VALUES (?, ?, ?, ?, ?, ?)",
      name,
      serial,
      original ?? null,
      mime,
      size,
      key,
    );
  }
}

/** The serial in an attachment's name (decision 61), or -1 for a name of an imported thread. */
const readAttachmentSerial = (name: string): number => Number(/^att-(\d+)-/.exec(name)?.[1] ?? -1);

const toAttachment = ({ original, ...row }: AttachmentRow): Attachment =>
  original === null ? row : { ...row, original: cutFileName(original) };
