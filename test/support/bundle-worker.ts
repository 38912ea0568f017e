/** The Worker as it is deployed, with a configuration that runs it without bundling it again. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../../scripts/lib/exchange/wrangler.ts";

/** Settings of the bundler and its input. */
const BUNDLER_SETTINGS =
  /^(?:minify|upload_source_maps) = .*\n|^\[(?:alias|build)\]\n(?:".*\n|\w.*\n)+/gm;

/** Tests call one household as fast as they can, so the rates of requests are ten times the deployed ones. */
const raiseRequestRate = (_: string, limit: string): string =>
  `limit = ${Number(limit) * 10}, period = 10 `;

/** Bundles the Worker into the directory, with wrangler's report and a configuration that runs the bundle. */
export async function bundleWorker(directory: string): Promise<void> {
  const wrangler = join(ROOT, "node_modules", ".bin", "wrangler");
  const args = ["deploy", "--dry-run", "--outdir", directory];
  const { stdout } = await promisify(execFile)(wrangler, args, { cwd: ROOT });
  writeFileSync(join(directory, "report.txt"), stdout);
  const config = readFileSync(join(ROOT, "wrangler.toml"), "utf8")
    .replace(BUNDLER_SETTINGS, "")
    .replace(/limit = (\d+), period = 10 /g, raiseRequestRate)
    .replace(/^main = .*$/m, 'main = "index.js"\nno_bundle = true')
    .replace(
      /^(directory|migrations_dir) = "(.*)"$/gm,
      (_, setting, path) => `${setting} = ${JSON.stringify(join(ROOT, path))}`,
    );
  writeFileSync(join(directory, "wrangler.toml"), config);
}
