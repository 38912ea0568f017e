import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { importWorkerOnce } from "./import-worker-once.ts";
import { keepRealFetch } from "./real-fetch.ts";
import { shortenWaits } from "./shorten-waits.ts";

declare global {
  namespace Cloudflare {
    interface Env {
      TEST_MIGRATIONS: Parameters<typeof applyD1Migrations>[1];
      /** Sizes and first seed of the reliability tests. */
      RELIABILITY_SCHEDULES: string;
      RELIABILITY_THREADS: string;
      RELIABILITY_CASES: string;
      RELIABILITY_SIMULATIONS: string;
      RELIABILITY_SEED: string;
    }
  }
}

importWorkerOnce();
keepRealFetch();
shortenWaits();
await applyD1Migrations(env.INDEX, env.TEST_MIGRATIONS);
