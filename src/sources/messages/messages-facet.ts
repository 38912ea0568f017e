/** The messages of a source. */
import type {
  IncomingSourceMessage,
  MessageQuery,
  SourceMessagesRpc,
  SourceStatus,
} from "../../contracts/sources.ts";
import { defined } from "../../mess/defined.ts";
import { refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { refuseMessageNotFound } from "../../mess/sources/refusals.ts";
import type { MessageMark } from "../../mess/sources/vocabulary.ts";
import { writeTime } from "../../mess/times.ts";
import type { SourceContext } from "../source-context.ts";
import { listApprovedKeys } from "../outbox/approved-files.ts";
import { listKeys } from "../tables/message-rows.ts";
import type { SourceStore } from "../tables/source-store.ts";
import { deleteMessages } from "./delete-messages.ts";
import { listAfter, listMessages } from "./list-messages.ts";
import { putIndexJob, receiveMessages } from "./receive-messages.ts";
import { showMessage, showSummary } from "./show-message.ts";
import { announceMessages } from "./waits.ts";

const MAX_DELETED_PER_CALL = 500;
const MAX_LISTED_PER_CALL = 1_000;

export class MessagesFacet implements SourceMessagesRpc {
  readonly #context: SourceContext;

  constructor(context: SourceContext) {
    this.#context = context;
  }

  async receive(messages: IncomingSourceMessage[]): ReturnType<SourceMessagesRpc["receive"]> {
    const received = this.#context.change((store, now) => {
      const stored = receiveMessages(store, messages, now);
      if (stored.ok) store.problems.clear("receiving");
      return stored;
    });
    if (received.ok) announceMessages(this.#context.ctx, this.#context.store);
    return received;
  }

  async reportNotStored(reason: string): Promise<void> {
    this.#context.change((store, now) =>
      ok(store.problems.set("receiving", `Messages could not be stored: ${reason}`, now)),
    );
  }

  async status(): ReturnType<SourceMessagesRpc["status"]> {
    return this.#context.read((store) => ok(showStatus(store)));
  }

  async list(query: MessageQuery): ReturnType<SourceMessagesRpc["list"]> {
    return this.#context.read((store) => listMessages(store, query));
  }

  async listAfter(
    position: number | undefined,
    limit: number,
  ): ReturnType<SourceMessagesRpc["listAfter"]> {
    return this.#context.read((store) => ok(listAfter(store, position, limit)));
  }

  async read(id: string): ReturnType<SourceMessagesRpc["read"]> {
    return this.#context.read((store) => {
      const found = store.messages.find(id);
      return found ? ok(showMessage(store, found.seq)!) : refuseMessageNotFound();
    });
  }

  async locate(id: string, part: "raw" | number): ReturnType<SourceMessagesRpc["locate"]> {
    return this.#context.read(({ messages }) => {
      const found = messages.find(id);
      if (!found) return refuseMessageNotFound();
      const { raw, attachments } = messages.readFiles(found.seq);
      const file =
        part === "raw"
          ? raw && { ...raw, name: `${id}${getRawExtension(raw.mime)}` }
          : attachments[part];
      return file ? ok(file) : refuseFileNotFound();
    });
  }

  async mark(id: string, mark: MessageMark): ReturnType<SourceMessagesRpc["mark"]> {
    return this.#context.change((store, now) => {
      const found = store.messages.find(id);
      if (!found) return refuseMessageNotFound();
      store.changes.mark(found.seq, mark);
      if (mark === "archive" || mark === "unarchive") putIndexJob(store, now);
      return ok(showSummary(store.get(), store.messages.get(found.seq)!));
    });
  }

  async remove(id: string): ReturnType<SourceMessagesRpc["remove"]> {
    return this.#context.change((store, now) => {
      const found = store.messages.find(id);
      if (!found) return refuseMessageNotFound();
      deleteMessages(store, [found.seq], now);
      return ok(true as const);
    });
  }

  async listAll(after: number, limit: number): ReturnType<SourceMessagesRpc["listAll"]> {
    const { store } = this.#context;
    if (!store.read()) return { messages: [] };
    const found = store.messages.loadAfter(after, limit + 1);
    const shown = found.slice(0, limit);
    const next = found.length > limit ? shown.at(-1)?.seq : undefined;
    return { messages: shown.map(({ seq }) => showMessage(store, seq)!), ...defined({ next }) };
  }

  async estimateExportBytes(): ReturnType<SourceMessagesRpc["estimateExportBytes"]> {
    const { store } = this.#context;
    return store.read() ? store.messages.estimateExportBytes() : 0;
  }

  async listBlobKeys(since: number, after: number): ReturnType<SourceMessagesRpc["listBlobKeys"]> {
    const { store } = this.#context;
    if (!store.read()) return { keys: [] };
    const start = Math.max(after, store.messages.findFirstSince(since) - 1);
    const found = store.messages.listFiles(start, MAX_LISTED_PER_CALL);
    const keys = [
      ...(after === 0 ? listApprovedKeys(store) : []),
      ...found.flatMap(({ files }) => listKeys(files)),
    ];
    return found.length === MAX_LISTED_PER_CALL ? { keys, next: found.at(-1)!.seq } : { keys };
  }

  async deleteOlder(before: number): ReturnType<SourceMessagesRpc["deleteOlder"]> {
    const deleted = this.#context.change((store, now) => {
      const end = store.messages.findFirstSince(before);
      const seqs = store.messages.list({}, 0, end, MAX_DELETED_PER_CALL).map(({ seq }) => seq);
      deleteMessages(store, seqs, now);
      return ok(seqs.length);
    });
    return deleted.ok
      ? { deleted: deleted.value, more: deleted.value === MAX_DELETED_PER_CALL }
      : { deleted: 0, more: false };
  }

  async reindex(): ReturnType<SourceMessagesRpc["reindex"]> {
    this.#context.change((store, now) => {
      store.state.setReindexed(0);
      putIndexJob(store, now);
      return ok(true as const);
    });
  }
}

const getRawExtension = (mime: string): string =>
  mime.startsWith("message/") ? ".eml" : mime.includes("json") ? ".json" : ".txt";

/** Reads two rows, and one for each problem. */
function showStatus(store: SourceStore): SourceStatus {
  const { name, kind, title, status, cannot_send } = store.get();
  const state = store.state.get();
  const { messages, unseen, unclassified, drafts } = state;
  const failed = store.problems.read();
  return {
    source: name,
    kind,
    ...defined({ title }),
    status,
    can_send: cannot_send === undefined,
    messages,
    unseen,
    unclassified,
    drafts,
    ...(state.newest_at === 0 ? {} : { newest: writeTime(state.newest_at, "UTC") }),
    ...(failed ? { problem: failed.problem, problem_since: writeTime(failed.since, "UTC") } : {}),
  };
}

const refuseFileNotFound = () =>
  refuse(
    "not_found",
    "the message has no such file",
    "Read the message: attachments are fetched by their index.",
  );
