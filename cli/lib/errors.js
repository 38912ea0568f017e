/** Errors that are shown in plain English, and the exit codes of the program. */

/** Every exit code with its meaning, in the order of `mess help exit-codes`. */
export const EXIT_CODES = Object.freeze({
  ok: [0, "done"],
  refused: [1, "the exchange refused the call, or a part of it failed"],
  usage: [2, "the command was written wrong; nothing was sent"],
  signedOut: [3, "not signed in, or the key does not allow this"],
  notFound: [4, "no request, group or source has this name"],
  unreachable: [5, "the exchange could not be reached, or failed"],
  timeout: [6, "the time given with --timeout was over"],
  open: [7, "the request ended without being done, or waits for your reply"],
  interrupted: [130, "interrupted with Ctrl-C"],
});

/** @typedef {keyof typeof EXIT_CODES} ExitName */

/** An error with a way to fix it. */
export class CliError extends Error {
  /**
   * @param {string} message what is wrong
   * @param {{ hint?: string, exit?: ExitName, code?: string, detail?: unknown }} [more]
   */
  constructor(message, { hint, exit = "refused", code, detail } = {}) {
    super(message);
    this.hint = hint;
    this.exit = exit;
    /** The stable code of a refusal by the exchange. */
    this.code = code;
    this.detail = detail;
  }
}

/**
 * @param {string} message
 * @param {string} hint
 */
export const usageError = (message, hint) => new CliError(message, { hint, exit: "usage" });

/** @param {ExitName} name */
export const getExitCode = (name) => Number(EXIT_CODES[name][0]);
