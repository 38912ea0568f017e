/**
 * Runs before the commands of package.json and reports an incomplete install in plain words instead of a stack
 * trace. Plain JavaScript, so that it runs on any version of Node.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const { dependencies, devDependencies } = JSON.parse(readFileSync(at("package.json"), "utf8"));

const missing = Object.keys({ ...dependencies, ...devDependencies }).filter(
  (name) => !existsSync(at(`node_modules/${name}/package.json`)),
);
/** Native programs are separate packages per platform, which an install can omit. */
for (const [scope, prefix] of [
  ["@cloudflare", "workerd-"],
  ["@esbuild", ""],
]) {
  const directory = at(`node_modules/${scope}`);
  const found = existsSync(directory) ? readdirSync(directory) : [];
  if (!found.some((name) => name.startsWith(`${prefix}${process.platform}`)))
    missing.push(`${scope}/${prefix}${process.platform}`);
}

if (missing.length > 0) {
  console.error(`These packages are not installed: ${missing.join(", ")}.\nRun: npm install`);
  process.exitCode = 1;
} else if (Number(process.versions.node.split(".")[0]) < 24) {
  console.error(
    `This is Node ${process.versions.node}, but the scripts need Node 24, which npm install installs locally.\n` +
      "Run them with npm: npm start, npm run demo, npm test.",
  );
  process.exitCode = 1;
}
