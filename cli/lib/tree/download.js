/** Writes the body of a response into a file. */
import { createWriteStream } from "node:fs";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CliError } from "../errors.js";

/** @param {Response} response @param {string} path */
export async function download(response, path) {
  if (!response.body)
    throw new CliError("the exchange sent nothing", {
      hint: "Repeat the command.",
      exit: "unreachable",
    });
  try {
    await pipeline(Readable.fromWeb(/** @type {any} */ (response.body)), createWriteStream(path));
  } catch (error) {
    throw new CliError(
      `the download of ${basename(path)} ended early (${/** @type {Error} */ (error).message})`,
      { hint: "Repeat the command: it continues where it stopped.", exit: "unreachable" },
    );
  }
}
