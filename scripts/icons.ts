/** Makes public/inbox/icons/ from the page's own icon, in a real browser. Run by `node scripts/icons.ts`. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { launchBrowser } from "../test/support/browser.ts";
import { ROOT } from "./lib/wrangler.ts";

const FOLDER = join(ROOT, "public", "inbox", "icons");
const SVG = readFileSync(join(ROOT, "public", "respond", "icon.svg"), "utf8");
/** Launchers cut a maskable icon to their own shape: it fills the square, and its sign stays well inside. */
const MASKABLE = SVG.replace(/ rx="\d+"/, "").replace(
  /<path /,
  '<path transform="translate(32 32) scale(0.72) translate(-32 -32)" ',
);
/** iPhones round the corners themselves, and know no transparency. */
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
