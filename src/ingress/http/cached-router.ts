/** The router of the HTTP application. */
import type { Result } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";

/** Caches the results of paths without parameters, so that the most frequent calls need no search in the trie. */
export class CachedRouter<T> extends TrieRouter<T> {
  readonly #fixedPaths = new Set<string>();
  readonly #results = new Map<string, Result<T>>();

  override add(method: string, path: string, handler: T): void {
    super.add(method, path, handler);
    if (!/[:*]/.test(path)) this.#fixedPaths.add(path);
  }

  override match(method: string, path: string): Result<T> {
    const call = `${method} ${path}`;
    const known = this.#results.get(call);
    if (known) return known;
    const result = super.match(method, path);
    // Only these: a caller must not fill the cache with paths of its choice.
    if (this.#fixedPaths.has(path)) this.#results.set(call, result);
    return result;
  }
}
