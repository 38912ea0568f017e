/** The folder for unfinished downloads within a tree. While it exists, its process is the only one that pulls there. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "../errors.js";

const NAME = ".mess-pull";

/** @param {string} root @returns {{ path: string, remove: () => void }} */
export function openWorkFolder(root) {
  const path = join(root, NAME);
  const owner = join(path, "process");
  const remove = () => rmSync(path, { recursive: true, force: true });
  const running = existsSync(owner) ? Number(readFileSync(owner, "utf8")) : 0;
  if (running > 0 && isRunning(running))
    throw new CliError(`another mess pull (process ${running}) is working in this folder`, {
      hint: `Wait until it is done. If no such command is running, remove ${path}.`,
    });
  // An interrupted pull leaves incomplete folders.
  remove();
  mkdirSync(path, { recursive: true });
  writeFileSync(owner, String(process.pid));
  return { path, remove };
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return pid !== process.pid;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}
