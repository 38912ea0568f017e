/** `npm run deploy` with the real wrangler, against a local stand-in of Cloudflare's API: no account is involved. */
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../scripts/lib/exchange/wrangler.ts";
import { CloudflareStandIn, TOKEN } from "../support/cloudflare/stand-in.ts";

const cloudflare = new CloudflareStandIn();
let url = "";
beforeAll(async () => {
  url = await cloudflare.start();
});
afterAll(() => cloudflare.stop());

describe("npm run deploy with wrangler", () => {
  it(
    "wrangler applies every migration to the new database and uploads the Worker with its secrets",
    { timeout: 60_000 },
    async () => {
      const { stdout } = await promisify(execFile)(
        join(ROOT, "node_modules", ".bin", "node"),
        ["scripts/deploy.ts", "--name", "aunt", "--no-household"],
        {
          cwd: ROOT,
          env: {
            ...process.env,
            CLOUDFLARE_API_BASE_URL: url,
            CLOUDFLARE_API_TOKEN: TOKEN,
            WRANGLER_SEND_METRICS: "false",
          },
        },
      );

      const [database] = cloudflare.databases.values();
      const applied = database?.sqlite.prepare("SELECT name FROM d1_migrations").all();
      expect(applied?.map(({ name }) => name)).toEqual(
        readdirSync(join(ROOT, "migrations")).toSorted(),
      );
      const bindings = cloudflare.workers.get("aunt")?.bindings ?? [];
      const named = Object.fromEntries(bindings.map((one) => [one.name, one]));
      expect(named["PUBLIC_ORIGIN"]?.text).toBe("https://aunt.family.workers.dev");
      expect([...cloudflare.databases.keys()]).toEqual([named["INDEX"]?.id]);
      expect([...cloudflare.namespaces.keys()]).toEqual([named["OAUTH_KV"]?.namespace_id]);
      expect([...cloudflare.buckets]).toEqual([named["BLOBS"]?.bucket_name]);
      expect(named["MESS_SECRET"]).toMatchObject({ type: "secret_text" });
      expect(named["MESS_OPERATOR_KEY"]).toMatchObject({ type: "secret_text" });
      expect(stdout).toContain("https://aunt.family.workers.dev/mcp");
    },
  );
});
