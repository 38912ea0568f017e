/** The secrets of the Worker: made once, kept on Cloudflare, and copied to a file only if the operator asks for it. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { writeAtomically } from "../exchange/state-directory.ts";
import { PlainError } from "../program.ts";

const NAMES = ["MESS_SECRET", "MESS_OPERATOR_KEY"] as const;
type SecretName = (typeof NAMES)[number];
export type Secrets = Partial<Record<SecretName, string>>;

/** As the Worker demands it (src/config.ts). */
const MIN_CHARS: Record<SecretName, number> = { MESS_SECRET: 32, MESS_OPERATOR_KEY: 16 };
const SECRET_BYTES = 32;
const generate = (): string => randomBytes(SECRET_BYTES).toString("hex");

export interface PreparedSecrets {
  /** To upload with the Worker; those that it has already are left out. */
  upload: Secrets;
  /** Undefined if only Cloudflare has it. */
  operatorKey: string | undefined;
}

interface SecretNeeds {
  /** Names of the secrets that the Worker has. */
  deployed: readonly string[];
  /** A new operator key replaces the deployed one. */
  replaceOperatorKey: boolean;
  /** The operator key is needed; nobody else can have the deployed one yet. */
  isUnfinished: boolean;
}

/**
 * Secrets of the file are used before new ones are made, and are written to it before they are uploaded: an
 * interruption loses none.
 */
export function prepareSecrets(
  file: string | undefined,
  { deployed, replaceOperatorKey, isUnfinished }: SecretNeeds,
): PreparedSecrets {
  const kept: Secrets = file === undefined ? {} : readSecretsFile(file);
  if (replaceOperatorKey) delete kept.MESS_OPERATOR_KEY;
  const upload: Secrets = {};
  for (const name of NAMES) {
    const isOperatorKey = name === "MESS_OPERATOR_KEY";
    const isReplaced =
      isOperatorKey && (replaceOperatorKey || (isUnfinished && kept[name] === undefined));
    if (!deployed.includes(name) || isReplaced) upload[name] = kept[name] ?? generate();
  }
  const known = { ...kept, ...upload };
  if (file !== undefined && NAMES.some((name) => upload[name] !== undefined))
    writeSecretsFile(file, known);
  return { upload, operatorKey: known.MESS_OPERATOR_KEY };
}

const formatSecrets = (secrets: Secrets): string =>
  NAMES.flatMap((name) => (secrets[name] === undefined ? [] : [`${name}=${secrets[name]}\n`])).join(
    "",
  );

const LINE = /^\s*(?:export )?(\w+)\s*=(.*)$/;
const isSecretName = (name: string | undefined): name is SecretName =>
  NAMES.some((one) => one === name);
const readLines = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];

function readSecretsFile(file: string): Secrets {
  const secrets: Secrets = {};
  for (const line of readLines(file)) {
    const [, name, value = ""] = LINE.exec(line) ?? [];
    if (!isSecretName(name)) continue;
    secrets[name] = value.trim().replace(/^(["'])(.*)\1$/, "$2");
    if (secrets[name].length < MIN_CHARS[name])
      throw new PlainError(
        `${name} in ${file} is shorter than ${MIN_CHARS[name]} characters. Remove the line to get a new one.`,
      );
  }
  return secrets;
}

/** Other lines of the file are kept. */
function writeSecretsFile(file: string, secrets: Secrets): void {
  const others = readLines(file).filter((line) => !isSecretName(LINE.exec(line)?.[1]));
  const before = others.join("\n").trimEnd();
  writeAtomically(file, (before === "" ? "" : `${before}\n`) + formatSecrets(secrets));
}
