/** The messages of a source. */
import type { SourceMessagesRpc } from "../../contracts/sources.ts";
import type { SourceContext } from "../source-context.ts";

export class MessagesFacet implements SourceMessagesRpc {
  readonly #context: SourceContext;

  constructor(context: SourceContext) {
    this.#context = context;
    void this.#context;
  }

  receive(): ReturnType<SourceMessagesRpc["receive"]> {
    return Promise.reject(new Error("not built yet"));
  }

  status(): ReturnType<SourceMessagesRpc["status"]> {
    return Promise.reject(new Error("not built yet"));
  }

  list(): ReturnType<SourceMessagesRpc["list"]> {
    return Promise.reject(new Error("not built yet"));
  }

  read(): ReturnType<SourceMessagesRpc["read"]> {
    return Promise.reject(new Error("not built yet"));
  }

  locate(): ReturnType<SourceMessagesRpc["locate"]> {
    return Promise.reject(new Error("not built yet"));
  }

  mark(): ReturnType<SourceMessagesRpc["mark"]> {
    return Promise.reject(new Error("not built yet"));
  }

  remove(): ReturnType<SourceMessagesRpc["remove"]> {
    return Promise.reject(new Error("not built yet"));
  }

  listAll(): ReturnType<SourceMessagesRpc["listAll"]> {
    return Promise.reject(new Error("not built yet"));
  }

  estimateExportBytes(): ReturnType<SourceMessagesRpc["estimateExportBytes"]> {
    return Promise.reject(new Error("not built yet"));
  }

  deleteOlder(): ReturnType<SourceMessagesRpc["deleteOlder"]> {
    return Promise.reject(new Error("not built yet"));
  }

  reindex(): ReturnType<SourceMessagesRpc["reindex"]> {
    return Promise.reject(new Error("not built yet"));
  }
}
