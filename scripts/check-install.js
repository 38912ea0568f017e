/**
 * Runs before the commands of package.json, in plain JavaScript and on any Node, so that an incomplete install
 * is said in words and not as a stack trace.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const { dependencies, devDependencies } = JSON.parse(readFileSync(at("package.json"), "utf8"));

const missing = Object.keys({ ...dependencies, ...devDependencies }).filter(
  (name) => !existsSync(at(`node_modules/${name}/package.json`)),
);
/** Native programs come in packages of their own, one for each platform; installs can leave them out. */
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
  console.error(`node_modules lacks ${missing.join(", ")}.\nRun: npm install`);
  process.exitCode = 1;
} else if (Number(process.versions.node.split(".")[0]) < 24) {
  console.error(
    `This is Node ${process.versions.node}, and the scripts need Node 24, which npm install brings along.\n` +
      "Start them through npm: npm start, npm run demo, npm test.",
  );
  process.exitCode = 1;
}
