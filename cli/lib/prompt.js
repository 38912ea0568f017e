/** Reads a secret from the terminal without showing it, or from standard input. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { usageError } from "./errors.js";
import { readText } from "./files.js";

/** @param {string} question */
export async function readSecret(question) {
  const secret = (process.stdin.isTTY ? await ask(question) : await readText("-")).trim();
  if (secret === "")
    throw usageError(
      "no key was given",
      "Give the key on standard input, such as: mess login URL --key < key.txt",
    );
  return secret;
}

/** @param {string} question */
async function ask(question) {
  process.stderr.write(question);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await reader.question("");
  } finally {
    reader.close();
    process.stderr.write("\n");
  }
}
