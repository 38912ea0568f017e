/**
 * Loads a module on first use, and keeps it. No pending load is kept: a module loader may share one between requests,
 * and workerd cancels a request that awaits I/O which another request started.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: T | undefined;
  return async () => (loaded ??= await load());
}
