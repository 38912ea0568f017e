/** Renders public/inbox/icons/ from the SVG icon in a browser. Run it with `node scripts/icons.ts`. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { launchBrowser } from "../test/support/browser.ts";
import { ROOT } from "./lib/exchange/wrangler.ts";

const FOLDER = join(ROOT, "public", "inbox", "icons");
const SVG = readFileSync(join(ROOT, "public", "respond", "icon.svg"), "utf8");
/** Launchers crop a maskable icon, so it fills the square and the symbol stays inside the safe zone. */
const MASKABLE = SVG.replace(/ rx="\d+"/, "").replace(
  /<path /,
  '<path transform="translate(32 32) scale(0.72) translate(-32 -32)" ',
);
/** iOS rounds the corners itself and does not support transparency. */
const TOUCH = SVG.replace(/ rx="\d+"/, "");

const ICONS = [
  ["icon-192", SVG, 192],
  ["icon-512", SVG, 512],
  ["maskable-512", MASKABLE, 512],
  ["touch-180", TOUCH, 180],
] as const;

mkdirSync(FOLDER, { recursive: true });
const browser = await launchBrowser();
try {
  for (const [name, svg, size] of ICONS) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    const sized = svg.replace("<svg ", `<svg width="${size}" height="${size}" `);
    await page.setContent(`<style>body{margin:0}svg{display:block}</style>${sized}`);
    const path = join(FOLDER, `${name}.png`);
    await page.screenshot({ path, omitBackground: true });
    process.stdout.write(`public/inbox/icons/${name}.png\n`);
    await page.close();
  }
} finally {
  await browser.close();
}
