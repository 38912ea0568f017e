/** Lets polled sources look for new messages often while somebody waits for notices about them. */
import { findSourceKind } from "../../source-kinds/registry.ts";
import { getSourceStub } from "../../stubs.ts";
import type { Stores } from "../stores.ts";

/** A stream waits for 10 minutes before it asks again. */
const AWAITED_MS = 11 * 60_000;
/** Agents wait again and again, so a source is not called for each time. */
const RENEW_MS = 60_000;

export class SourceHastener {
  readonly #env: Pick<Env, "SOURCES">;
  /** Times of the last calls. */
  readonly #calledAt = new Map<string, number>();

  constructor(env: Pick<Env, "SOURCES">) {
    this.#env = env;
  }

  /** @param isAwaited whether the waiting caller may read the source */
  async hasten(
    { messageSources, settings }: Stores,
    isAwaited: (source: string) => boolean,
    now: number,
  ): Promise<void> {
    const { id } = settings.getHousehold();
    const due = messageSources
      .list()
      .filter(({ name, kind, status }) => {
        const found = findSourceKind(kind);
        const isPolled = status === "connected" && found?.poll !== undefined && !found.setsPollTime;
        return isPolled && isAwaited(name) && (this.#calledAt.get(name) ?? 0) + RENEW_MS <= now;
      })
      .map(({ name }) => name);
    for (const name of due) this.#calledAt.set(name, now);
    await Promise.all(
      due.map((name) => getSourceStub(this.#env, id, name).kind.hasten(AWAITED_MS)),
    );
  }
}
