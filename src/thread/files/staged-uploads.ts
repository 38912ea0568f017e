/** Files that arrive before the message that names them, whole or in parts. Each is stored for a day. */
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { ThreadLog } from "../thread-log.ts";
import type { KeyedCall } from "../../contracts/thread.ts";
import type {
  NewMultipartUpload,
  StagedBlob,
  StoredPart,
  MultipartUpload,
} from "../../contracts/thread-uploads.ts";
import type { MultipartUploads } from "./multipart-uploads.ts";

export class StagedUploads {
  readonly #log: ThreadLog;
  readonly #uploads: MultipartUploads;
  readonly #setAlarm: () => Promise<void>;

  /** @param setAlarm sets the alarm that deletes unused uploads */
  constructor(log: ThreadLog, uploads: MultipartUploads, setAlarm: () => Promise<void>) {
    this.#log = log;
    this.#uploads = uploads;
    this.#setAlarm = setAlarm;
  }

  /** Stores an upload until a message names its token; the first upload with a token stays. */
  async stage({ call, ...blob }: StagedBlob & KeyedCall): Promise<Outcome<StagedBlob>> {
    const conflict = this.#log.callKeys.check(call, "file");
    if (conflict) return conflict;
    const stored = this.#log.uploads.find(blob.token);
    if (stored) return ok(stored);
    this.#log.uploads.add(blob, Date.now());
    this.#log.callKeys.save(call, "file");
    await this.#setAlarm();
    return ok(blob);
  }

  isStaged(token: string): boolean {
    return this.#log.uploads.find(token) !== undefined;
  }

  async begin({
    call,
    ...upload
  }: NewMultipartUpload & KeyedCall): Promise<Outcome<MultipartUpload>> {
    const conflict = this.#log.callKeys.check(call, "file");
    if (conflict) return conflict;
    const begun = this.#uploads.begin(upload, Date.now());
    if (begun.ok) this.#log.callKeys.save(call, "file");
    await this.#setAlarm();
    return begun;
  }

  find(actor: string, id: string): Outcome<MultipartUpload> {
    const transfer = this.#uploads.find(id, actor);
    return transfer
      ? ok(transfer)
      : refuse(
          "not_found",
          "upload not found",
          "Start the upload again. An upload is deleted after a day.",
        );
  }

  addPart(actor: string, id: string, part: StoredPart): Outcome<MultipartUpload> {
    const transfer = this.find(actor, id);
    return transfer.ok ? this.#uploads.addPart(transfer.value, part) : transfer;
  }

  async finish(actor: string, id: string, blob?: StagedBlob): Promise<Outcome<StagedBlob>> {
    const transfer = this.find(actor, id);
    if (!transfer.ok) return transfer;
    const stored = this.#log.uploads.find(transfer.value.token ?? "");
    if (stored) return ok(stored);
    if (!blob)
      return refuse(
        "not_found",
        "a message already refers to this file",
        "Start a new upload to send it again.",
      );
    const staged = await this.stage(blob);
    if (staged.ok) this.#uploads.finish(transfer.value, staged.value.token);
    return staged;
  }

  abort(actor: string, id: string): Outcome<true> {
    const transfer = this.find(actor, id);
    if (!transfer.ok) return transfer;
    this.#uploads.remove(id);
    return ok(true);
  }
}
