/** The state directory: the local secrets and the keys of the household. */
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PlainError } from "../program.ts";

export interface Keys {
  owner: string;
  agent: string;
  executors: Record<string, string>;
}

/** Content of `keys.json`, which later runs show again. */
export interface Household {
  household: string;
  keys: Keys;
}

export interface State {
  readonly directory: string;
  /** Env file with the Worker's secrets (mode 600), so that they are not on a command line. */
  readonly secretsFile: string;
  readonly operatorKey: string;
  /** Seed of the idempotency keys, so that a repeated setup gives the same keys. */
  readonly seed: string;
}

/** Writes a temporary file and renames it, so that readers never see a partial file. */
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

/** Opens the state directory; creates it and its secrets on the first run. */
export function openState(directory: string): State {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new PlainError(
      `The state directory ${directory} cannot be created: ${(error as Error).message}`,
    );
  }
  const secretsFile = join(directory, "secrets.env");
  const text = readIfThere(secretsFile) ?? makeSecrets(secretsFile);
  const values = new Map(text.split("\n").map((line) => line.split("=", 2) as [string, string]));
  const operatorKey = values.get("MESS_OPERATOR_KEY");
  const seed = values.get("MESS_SETUP_SEED");
  if (!operatorKey || !seed || !values.get("MESS_SECRET"))
    throw new PlainError(
      `A secret is missing in ${secretsFile}. Restore the file, or move ${directory} away to start with an empty state.`,
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
