/** Files that come in pieces: how far each has come, so that it goes on where a connection broke. */
import type { MessError, Outcome } from "../mess/errors.ts";
import { refuse } from "../mess/errors.ts";
import { fail, ok } from "../mess/result.ts";
import type { NewTransfer, StoredPiece, Transfer } from "../contracts/thread.ts";

/** Files under way at once in one thread. */
const MOST_OPEN = 50;

export class Transfers {
  readonly #sql: SqlStorage;
  /** Asked for after every append. */
  #oldest: { at: number | undefined } | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Begins a transfer; the same again is the one that was begun. */
  begin(wanted: NewTransfer, now: number): Outcome<Transfer> {
    const known = this.get(wanted.id, wanted.actor);
    if (known) return isSame(known, wanted) ? ok(known) : fail(anotherFile);
    const open = this.#all().filter(({ token }) => token === undefined).length;
    if (open >= MOST_OPEN)
      return refuse(
        "too_many",
        `${open} files are under way in this thread`,
        "Finish one of them first; those that stand still for a day are dropped.",
      );
    const transfer: Transfer = { ...wanted, offset: 0, pieces: [] };
    this.#oldest = undefined;
    this.#sql.exec(
      "INSERT INTO transfers (id, transfer, at) VALUES (?, ?, ?)",
      wanted.id,
      JSON.stringify(transfer),
      now,
    );
    return ok(transfer);
  }

  /** The actor's own transfer. */
  get(id: string, actor: string): Transfer | undefined {
    const found = this.#all("WHERE id = ?", id)[0];
    return found?.actor === actor ? found : undefined;
  }

  /** Takes note of a piece that is stored; one that does not follow the last is refused. */
  advance(transfer: Transfer, piece: StoredPiece): Outcome<Transfer> {
    const { from, length, number, etag, key, multipart, mime } = piece;
    const begun = transfer.multipart ?? multipart;
    if (from !== transfer.offset || begun !== multipart) {
      // R2 keeps the newest of two that came for the same place, and wants its name in the end.
      const again =
        begun === multipart ? transfer.pieces.find((one) => one.number === number) : undefined;
      if (again)
        this.#save({ ...transfer, pieces: transfer.pieces.with(number - 1, { number, etag }) });
      return fail(offsetFault(transfer));
    }
    const next: Transfer = {
      ...transfer,
      offset: from + length,
      piece: transfer.piece ?? length,
      pieces: [...transfer.pieces, { number, etag }],
      key,
      multipart,
      mime,
    };
    this.#save(next);
    return ok(next);
  }

  /** The file is whole, and staged under the token. */
  end(transfer: Transfer, token: string): void {
    this.#save({ ...transfer, offset: transfer.size, token });
  }

  drop(id: string): void {
    this.#oldest = undefined;
    this.#sql.exec("DELETE FROM transfers WHERE id = ?", id);
  }

  /** Transfers that were begun before the instant. */
  before(instant: number): Transfer[] {
    return this.#all("WHERE at <= ?", instant);
  }

  /** When the oldest of them was begun. */
  oldest(): number | undefined {
    this.#oldest ??= {
      at:
        this.#sql.exec<{ at: number | null }>("SELECT min(at) AS at FROM transfers").one().at ??
        undefined,
    };
    return this.#oldest.at;
  }

  #all(where: string = "", ...values: (string | number)[]): Transfer[] {
    return this.#sql
      .exec<{ transfer: string }>(`SELECT transfer FROM transfers ${where}`, ...values)
      .toArray()
      .map(({ transfer }) => JSON.parse(transfer) as Transfer);
  }

  #save(transfer: Transfer): void {
    this.#sql.exec(
      "UPDATE transfers SET transfer = ? WHERE id = ?",
      JSON.stringify(transfer),
      transfer.id,
    );
  }
}

/** The refusal of a piece that does not begin where the last one ended. */
const offsetFault = ({ offset }: Pick<Transfer, "offset">): MessError => ({
  code: "offset_conflict",
  message: `the exchange has ${offset} bytes of this file`,
  hint: "Go on from there: Upload-Offset says where.",
});

const anotherFile: MessError = {
  code: "idempotency_conflict",
  message: "this Idempotency-Key was used for another file",
  hint: "Use a new key for a new file.",
};

const isSame = (one: Transfer, other: NewTransfer): boolean =>
  one.size === other.size && one.declared === other.declared && one.original === other.original;
