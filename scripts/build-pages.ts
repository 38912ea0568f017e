/** `node scripts/build-pages.ts [DIR]`: bundles and minifies `public/` into `.pages/`, which `npm run deploy` uploads. */
import { resolve } from "node:path";
import { buildPages } from "./lib/build-pages.ts";
import { ROOT } from "./lib/exchange/wrangler.ts";

await buildPages(resolve(process.argv[2] ?? resolve(ROOT, ".pages")));
