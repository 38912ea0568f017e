/**
 * `npm run -s locate [-- MAP] < LOG`: copies log lines and writes the source position into each stack frame of the
 * minified Worker. Frames of a local exchange name a file whose source map is beside it while the exchange runs; for
 * those of a deployment, MAP is the source map of a build of the same version (dist/index.js.map).
 */
import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = resolve(import.meta.dirname, "..");
const DEPLOYED_MAP = resolve(process.argv[2] ?? "dist/index.js.map");

const WORD_PATTERN = /[^\s()"\\]+/g;
/** A position in a bundled file: its address, line and column. */
const POSITION_PATTERN = /^(.*\.js):(\d+):(\d+)$/;

const maps = new Map<string, SourceMap | undefined>();

function readMap(path: string): SourceMap | undefined {
  if (!maps.has(path)) {
    const payload = existsSync(path)
      ? (JSON.parse(readFileSync(path, "utf8")) as SourceMapPayload)
      : undefined;
    maps.set(path, payload && new SourceMap(payload));
  }
  return maps.get(path);
}

function locate(word: string): string {
  const [, file, line, column] = POSITION_PATTERN.exec(word) ?? [];
  if (file === undefined) return word;
  const local = file.startsWith("file://") ? `${fileURLToPath(file)}.map` : undefined;
  const path = local !== undefined && existsSync(local) ? local : DEPLOYED_MAP;
  const origin = readMap(path)?.findOrigin(Number(line), Number(column));
  if (!origin || !("fileName" in origin)) return word;
  const source = relative(ROOT, resolve(path, "..", origin.fileName));
  return `${source}:${origin.lineNumber}:${origin.columnNumber}`;
}

for await (const line of createInterface({ input: process.stdin }))
  console.log(line.replaceAll(WORD_PATTERN, locate));
