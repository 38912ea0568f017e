/** File names that come from the exchange, which must not lead out of the chosen folder. */
import { CliError } from "../errors.js";

const SAFE_NAME = /^[\p{L}\p{N}_-][\p{L}\p{N}_.-]{0,254}$/u;

/** @param {string} name */
export function toFileName(name) {
  if (SAFE_NAME.test(name) && !name.endsWith(".")) return name;
  throw new CliError(`the exchange sent the file name ${JSON.stringify(name)}, which is not safe`, {
    hint: "Nothing was written. Report this to the operator of the exchange.",
  });
}
