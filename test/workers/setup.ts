import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

declare global {
  namespace Cloudflare {
    interface Env {
      TEST_MIGRATIONS: Parameters<typeof applyD1Migrations>[1];
      /** How many crash schedules are run, and the first one's seed. */
      TEST_SCHEDULES: string;
      TEST_SEED: string;
    }
  }
}

await applyD1Migrations(env.INDEX, env.TEST_MIGRATIONS);
