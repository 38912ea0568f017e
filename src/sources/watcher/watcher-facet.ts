/** Classification of messages: verdicts of agents, corrections of people, dry runs. */
import type { WatcherRpc } from "../../contracts/sources.ts";
import type { SourceContext } from "../source-context.ts";

export class WatcherFacet implements WatcherRpc {
  readonly #context: SourceContext;

  constructor(context: SourceContext) {
    this.#context = context;
    void this.#context;
  }

  submitVerdict(): ReturnType<WatcherRpc["submitVerdict"]> {
    return Promise.reject(new Error("not built yet"));
  }

  correct(): ReturnType<WatcherRpc["correct"]> {
    return Promise.reject(new Error("not built yet"));
  }

  dryRun(): ReturnType<WatcherRpc["dryRun"]> {
    return Promise.reject(new Error("not built yet"));
  }

  catchUp(): ReturnType<WatcherRpc["catchUp"]> {
    return Promise.reject(new Error("not built yet"));
  }
}
