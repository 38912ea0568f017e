/** Drafts, approvals and what was sent. */
import type { OutboxRpc } from "../../contracts/sources.ts";
import type { SourceContext } from "../source-context.ts";

export class OutboxFacet implements OutboxRpc {
  readonly #context: SourceContext;

  constructor(context: SourceContext) {
    this.#context = context;
    void this.#context;
  }

  create(): ReturnType<OutboxRpc["create"]> {
    return Promise.reject(new Error("not built yet"));
  }

  revise(): ReturnType<OutboxRpc["revise"]> {
    return Promise.reject(new Error("not built yet"));
  }

  discard(): ReturnType<OutboxRpc["discard"]> {
    return Promise.reject(new Error("not built yet"));
  }

  list(): ReturnType<OutboxRpc["list"]> {
    return Promise.reject(new Error("not built yet"));
  }

  read(): ReturnType<OutboxRpc["read"]> {
    return Promise.reject(new Error("not built yet"));
  }

  requestApproval(): ReturnType<OutboxRpc["requestApproval"]> {
    return Promise.reject(new Error("not built yet"));
  }

  approve(): ReturnType<OutboxRpc["approve"]> {
    return Promise.reject(new Error("not built yet"));
  }

  undo(): ReturnType<OutboxRpc["undo"]> {
    return Promise.reject(new Error("not built yet"));
  }
}
