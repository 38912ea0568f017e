/** Uploads in parts: the progress of each, so that it can resume after a lost connection. */
import type { MessError, Outcome } from "../../mess/errors.ts";
import { refuse } from "../../mess/errors.ts";
import { fail, ok } from "../../mess/result.ts";
import type {
  NewMultipartUpload,
  StoredPart,
  MultipartUpload,
} from "../../contracts/thread-uploads.ts";
import type { ThreadTables } from "../migrations.ts";
import { readOldest } from "./upload-table.ts";

/** Unfinished uploads in one thread. */
const MAX_OPEN_UPLOADS = 50;

export class MultipartUploads {
  readonly #tables: ThreadTables;
  /** Cached, because every append needs it. */
  #oldest: { at: number | undefined } | undefined;

  constructor(tables: ThreadTables) {
    this.#tables = tables;
  }

  /** Begins an upload; a repeated call returns the first one. */
  begin(newUpload: NewMultipartUpload, now: number): Outcome<MultipartUpload> {
    const known = this.find(newUpload.id, newUpload.actor);
    if (known) return isSameUpload(known, newUpload) ? ok(known) : fail(ANOTHER_FILE_ERROR);
    const openUploads = this.#selectAll().filter(({ token }) => token === undefined).length;
    if (openUploads >= MAX_OPEN_UPLOADS)
      return refuse(
        "too_many",
        `${openUploads} uploads of this thread are unfinished`,
        "Finish one of them first; an upload that is not finished within a day is deleted.",
      );
    const upload: MultipartUpload = { ...newUpload, offset: 0, pieces: [] };
    this.#oldest = undefined;
    this.#tables.insert(
      "transfers",
      "INSERT INTO transfers (id, transfer, at) VALUES (?, ?, ?)",
      newUpload.id,
      JSON.stringify(upload),
      now,
    );
    return ok(upload);
  }

  /** An upload of this actor. */
  find(id: string, actor: string): MultipartUpload | undefined {
    const found = this.#selectAll("WHERE id = ?", id)[0];
    return found?.actor === actor ? found : undefined;
  }

  /** Records a stored part; one that does not follow the last is refused. */
  addPart(upload: MultipartUpload, part: StoredPart): Outcome<MultipartUpload> {
    const { from, length, number, etag, key, multipart, mime } = part;
    const begun = upload.multipart ?? multipart;
    if (from !== upload.offset || begun !== multipart) {
      // R2 keeps the newer of two parts with one number, and needs its etag for completion.
      const repeatedPart =
        begun === multipart ? upload.pieces.find((one) => one.number === number) : undefined;
      if (repeatedPart)
        this.#save({ ...upload, pieces: upload.pieces.with(number - 1, { number, etag }) });
      return fail(buildOffsetError(upload));
    }
    const next: MultipartUpload = {
      ...upload,
      offset: from + length,
      piece: upload.piece ?? length,
      pieces: [...upload.pieces, { number, etag }],
      key,
      multipart,
      mime,
    };
    this.#save(next);
    return ok(next);
  }

  /** Completes the upload as a staged file under the token. */
  finish(upload: MultipartUpload, token: string): void {
    this.#save({ ...upload, offset: upload.size, token });
  }

  remove(id: string): void {
    this.#oldest = undefined;
    this.#tables.run("transfers", "DELETE FROM transfers WHERE id = ?", id);
  }

  /** Uploads that began before the time. */
  listBegunBefore(instant: number): MultipartUpload[] {
    return this.#selectAll("WHERE at <= ?", instant);
  }

  /** When the oldest upload began. */
  getOldest(): number | undefined {
    this.#oldest ??= { at: readOldest(this.#tables, "transfers") };
    return this.#oldest.at;
  }

  #selectAll(where: string = "", ...values: (string | number)[]): MultipartUpload[] {
    return this.#tables
      .run<{ transfer: string }>("transfers", `SELECT transfer FROM transfers ${where}`, ...values)
      .map(({ transfer: upload }) => JSON.parse(upload) as MultipartUpload);
  }

  #save(upload: MultipartUpload): void {
    this.#tables.run(
      "transfers",
      "UPDATE transfers SET transfer = ? WHERE id = ?",
      JSON.stringify(upload),
      upload.id,
    );
  }
}

/** Refuses a part that does not begin where the last one ended. */
const buildOffsetError = ({ offset }: Pick<MultipartUpload, "offset">): MessError => ({
  code: "offset_conflict",
  message: `the exchange has ${offset} bytes of this file`,
  hint: "Continue at the offset in the header Upload-Offset.",
});

const ANOTHER_FILE_ERROR: MessError = {
  code: "idempotency_conflict",
  message: "this Idempotency-Key was used for another file",
  hint: "Use a new key for a new file.",
};

const isSameUpload = (one: MultipartUpload, other: NewMultipartUpload): boolean =>
  one.size === other.size && one.declared === other.declared && one.original === other.original;
