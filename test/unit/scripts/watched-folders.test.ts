/** With a build command, wrangler rebuilds the Worker only after changes in the folders that wrangler.toml lists. */
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { ROOT } from "../../../scripts/lib/exchange/wrangler.ts";

it("wrangler rebuilds the Worker after an edit in the folder of its main module", () => {
  const { build, main } = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });

  expect([build.watch_dir].flat().map((folder) => join(ROOT, folder ?? ""))).toContain(
    dirname(main ?? ""),
  );
});
