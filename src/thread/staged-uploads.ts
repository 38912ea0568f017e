/** Files that come before the message that names them: at once, or in pieces. Each is kept for a day. */
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import type { ThreadLog } from "./thread-log.ts";
import type { NewTransfer, StagedBlob, StoredPiece, Transfer } from "../contracts/thread.ts";
import type { Transfers } from "./multipart-uploads.ts";

export class Uploads {
  readonly #log: ThreadLog;
  readonly #transfers: Transfers;
  readonly #arm: () => Promise<void>;

  /** @param arm sets the alarm, by which what nobody names is dropped */
  constructor(log: ThreadLog, transfers: Transfers, arm: () => Promise<void>) {
    this.#log = log;
    this.#transfers = transfers;
    this.#arm = arm;
  }

  /** Keeps an upload until a message names its token; the first under a token stays. */
  async stage(blob: StagedBlob): Promise<Outcome<StagedBlob>> {
    const kept = this.#log.upload(blob.token);
    if (kept) return ok(kept);
    this.#log.stageUpload(blob, Date.now());
    await this.#arm();
    return ok(blob);
  }

  async begin(wanted: NewTransfer): Promise<Outcome<Transfer>> {
    const begun = this.#transfers.begin(wanted, Date.now());
    await this.#arm();
    return begun;
  }

  transfer(actor: string, id: string): Outcome<Transfer> {
    const transfer = this.#transfers.get(id, actor);
    return transfer
      ? ok(transfer)
      : refuse("not_found", "no such upload", "Begin the upload anew; none is kept for long.");
  }

  advance(actor: string, id: string, piece: StoredPiece): Outcome<Transfer> {
    const transfer = this.transfer(actor, id);
    return transfer.ok ? this.#transfers.advance(transfer.value, piece) : transfer;
  }

  async end(actor: string, id: string, blob?: StagedBlob): Promise<Outcome<StagedBlob>> {
    const transfer = this.transfer(actor, id);
    if (!transfer.ok) return transfer;
    const kept = this.#log.upload(transfer.value.token ?? "");
    if (kept) return ok(kept);
    if (!blob)
      return refuse("not_found", "a message has named this file", "Begin anew to send it again.");
    const staged = await this.stage(blob);
    if (staged.ok) this.#transfers.end(transfer.value, staged.value.token);
    return staged;
  }

  drop(actor: string, id: string): Outcome<true> {
    const transfer = this.transfer(actor, id);
    if (!transfer.ok) return transfer;
    this.#transfers.drop(id);
    return ok(true);
  }
}
