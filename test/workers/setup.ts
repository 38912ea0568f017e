import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

declare global {
  namespace Cloudflare {
    interface Env {
      TEST_MIGRATIONS: Parameters<typeof applyD1Migrations>[1];
      /** Sizes and first seed of the reliability tests. */
      TEST_SCHEDULES: string;
      TEST_THREADS: string;
      TEST_CASES: string;
      TEST_SEED: string;
    }
  }
}

await applyD1Migrations(env.INDEX, env.TEST_MIGRATIONS);
