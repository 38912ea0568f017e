/** The state directory: the local secrets and the keys of the household. */
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PlainError } from "./program.ts";

export interface Keys {
  owner: string;
  agent: string;
  executors: Record<string, string>;
}

/** `keys.json`: what a second run shows again. */
export interface Household {
  household: string;
  keys: Keys;
}

export interface State {
  readonly directory: string;
  /** Env file with the Worker's secrets, mode 600: they stand on no command line. */
  readonly secretsFile: string;
  readonly operatorKey: string;
  /** Makes a repeated set-up yield the same keys. */
  readonly seed: string;
}

/** Writes through a neighbour, so that a reader sees the old file or the new one and never a part. */
export function writeAtomically(file: string, text: string, mode = 0o600): void {
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, text, { mode, flush: true });
  renameSync(part, file);
}

export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

const makeSecret = (): string => randomBytes(32).toString("hex");

/** Opens the directory, making it and its secrets on the first run. */
export function openState(directory: string): State {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new PlainError(
      `The state directory ${directory} cannot be made: ${(error as Error).message}`,
    );
  }
  const secretsFile = join(directory, "secrets.env");
  const text = readIfThere(secretsFile) ?? makeSecrets(secretsFile);
  const values = new Map(text.split("\n").map((line) => line.split("=", 2) as [string, string]));
  const operatorKey = values.get("MESS_OPERATOR_KEY");
  const seed = values.get("MESS_SETUP_SEED");
  if (!operatorKey || !seed || !values.get("MESS_SECRET"))
    throw new PlainError(
      `${secretsFile} lacks a secret. Put it back, or move ${directory} away to begin anew.`,
    );
  return { directory, secretsFile, operatorKey, seed };
}

function makeSecrets(file: string): string {
  const text = `MESS_SECRET=${makeSecret()}\nMESS_OPERATOR_KEY=${makeSecret()}\nMESS_SETUP_SEED=${makeSecret()}\n`;
  writeAtomically(file, text);
  return text;
}

const getKeysFile = (state: State): string => join(state.directory, "keys.json");

export function readHousehold(state: State): Household | undefined {
  const text = readIfThere(getKeysFile(state));
  return text === undefined ? undefined : (JSON.parse(text) as Household);
}

export const writeHousehold = (state: State, household: Household): void =>
  writeAtomically(getKeysFile(state), `${JSON.stringify(household, null, 2)}\n`);
