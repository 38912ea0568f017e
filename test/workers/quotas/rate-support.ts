/** The Worker with rate limits that tests can reach, and a count of the calls to its objects. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createApp } from "../../../src/app.ts";
import { ORIGIN } from "../support.ts";

/** A rate limit of `limit` calls for each key, which no time resets. */
export function createRate(limit: number): RateLimit & { readonly counts: Map<string, number> } {
  const counts = new Map<string, number>();
  return {
    counts,
    limit: async ({ key }) => {
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return { success: count <= limit };
    },
  };
}

export interface RatedWorker {
  fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** Calls of objects so far. */
  countCalls(): number;
  rates: Pick<Env, "CREDENTIAL_REQUESTS" | "HOUSEHOLD_REQUESTS" | "STRANGERS">;
}

/** Requests of a credential and of a household; attempts of an address; `limits` is the variable LIMITS. */
export function createRatedWorker({
  credential = 1_000,
  household = 1_000,
  address = 1_000,
  limits = "",
}: Partial<
  Record<"credential" | "household" | "address", number> & { limits: string }
>): RatedWorker {
  let calls = 0;
  const countNames = <T extends object>(namespace: T): T =>
    new Proxy(namespace, {
      get: (target, name) => {
        if (name === "getByName") calls += 1;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  const rates = {
    CREDENTIAL_REQUESTS: createRate(credential),
    HOUSEHOLD_REQUESTS: createRate(household),
    STRANGERS: createRate(address),
  };
  const rated = {
    ...env,
    ...rates,
    LIMITS: limits as "",
    THREADS: countNames(env.THREADS),
    HOUSEHOLDS: countNames(env.HOUSEHOLDS),
  };
  const app = createApp();
  return {
    fetch: async (path, init) =>
      await app.fetch(new Request(`${ORIGIN}${path}`, init), rated, createExecutionContext()),
    countCalls: () => calls,
    rates,
  };
}

export const authorize = (key: string, more: RequestInit = {}): RequestInit => ({
  ...more,
  headers: { Authorization: `Bearer ${key}`, ...(more.headers as Record<string, string>) },
});

export const postJson = (key: string, body: unknown): RequestInit =>
  authorize(key, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json" },
  });
