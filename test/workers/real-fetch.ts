/** The `fetch` of the runtime, also where a test that ran before in the same isolate has replaced the global one. */
const REAL = Symbol.for("test.fetch");
const known = globalThis as { [REAL]?: typeof fetch };

/** Called before any test of the isolate. */
export const keepRealFetch = (): void => {
  known[REAL] ??= globalThis.fetch.bind(globalThis);
};

export const fetchReally: typeof fetch = async (input, init) => await known[REAL]!(input, init);
