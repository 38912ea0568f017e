/**
 * The exchanges that this person uses, in `config.yaml`: `exchanges: {home: {url, api_key}, work: …}` and `default`.
 * The file holds keys, so that only its owner may read it.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { parseDocument } from "yaml";
import { CliError, usageError } from "./errors.js";

/**
 * @typedef {object} Profile
 * @property {string} name
 * @property {string} url
 * @property {string} api_key
 */

export const PROFILE_PATTERN = /^[a-z0-9][a-z0-9_-]{0,62}$/i;

/** @param {NodeJS.ProcessEnv} environment */
export function getConfigPath(environment = process.env) {
  const { MESS_CONFIG, XDG_CONFIG_HOME } = environment;
  if (MESS_CONFIG) return MESS_CONFIG;
  // The specification requires an absolute path, and says to ignore others.
  const base = XDG_CONFIG_HOME?.startsWith("/") ? XDG_CONFIG_HOME : join(homedir(), ".config");
  return join(base, "mess", "config.yaml");
}

/** @param {string} path @returns {import("yaml").Document} */
function readDocument(path) {
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const document = parseDocument(text);
  if (document.errors.length > 0)
    throw new CliError(`${path} is not valid YAML: ${document.errors[0]?.message.split("\n")[0]}`, {
      hint: "Correct the file, or move it away and sign in again with mess login.",
      exit: "usage",
    });
  return document;
}

/** Replaces `${NAME}` by the environment variable. @param {string} text @param {string} path */
const fillVariables = (text, path) =>
  text.replaceAll(/\$\{(\w+)\}/g, (_whole, /** @type {string} */ name) => {
    const value = process.env[name];
    if (value === undefined)
      throw usageError(
        `${path} needs the environment variable ${name}, which is not set`,
        `Set ${name}, or sign in again with mess login.`,
      );
    return value;
  });

/**
 * @param {string} [path]
 * @returns {{ profiles: Profile[], fallback: string | undefined }}
 */
export function readProfiles(path = getConfigPath()) {
  const content = readDocument(path).toJS() ?? {};
  const exchanges = typeof content === "object" ? (content.exchanges ?? {}) : {};
  const profiles = Object.entries(exchanges).flatMap(([name, one]) =>
    one && typeof one.url === "string" && typeof one.api_key === "string"
      ? [{ name, url: one.url, api_key: one.api_key }]
      : [],
  );
  const named = typeof content.default === "string" ? content.default : undefined;
  return { profiles, fallback: named ?? profiles[0]?.name };
}

/** Fills the variables in a profile. @param {Profile} profile @param {string} [path] @returns {Profile} */
export const resolveProfile = ({ name, url, api_key }, path = getConfigPath()) => ({
  name,
  url: checkUrl(fillVariables(url, path)),
  api_key: fillVariables(api_key, path),
});

/**
 * The exchange to call: of the environment, with the given name, or the default one.
 * @param {string | undefined} name
 * @returns {Profile}
 */
export function chooseProfile(name) {
  const { MESS_URL, MESS_API_KEY, MESS_PROFILE } = process.env;
  const wanted = name ?? MESS_PROFILE;
  if (wanted === undefined && MESS_URL && MESS_API_KEY)
    return { name: "environment", url: checkUrl(MESS_URL), api_key: MESS_API_KEY };
  const { profiles, fallback } = readProfiles();
  const found = profiles.find((one) => one.name === (wanted ?? fallback));
  if (found) return resolveProfile(found);
  if (profiles.length === 0)
    throw new CliError("you are not signed in to an exchange", {
      hint: "Sign in with: mess login https://your.exchange",
      exit: "signedOut",
    });
  throw usageError(
    `there is no exchange with the name ${wanted ?? fallback}`,
    `Use --profile with one of: ${profiles.map((one) => one.name).join(", ")}. Or sign in to it with: mess login URL --profile ${wanted ?? fallback}`,
  );
}

/**
 * Stores the exchange. Comments and other entries of the file are kept.
 * @param {Profile} profile
 * @param {string} [path]
 */
export function saveProfile({ name, url, api_key }, path = getConfigPath()) {
  const document = readDocument(path);
  document.setIn(["exchanges", name], document.createNode({ url, api_key }));
  if (!document.has("default")) document.set("default", name);
  writeConfig(document, path);
}

/** @param {string} name @param {string} [path] */
export function setDefaultProfile(name, path = getConfigPath()) {
  const document = readDocument(path);
  document.set("default", name);
  writeConfig(document, path);
}

/** @param {string} name @param {string} [path] */
export function removeProfile(name, path = getConfigPath()) {
  const document = readDocument(path);
  document.deleteIn(["exchanges", name]);
  const left = Object.keys(document.toJS()?.exchanges ?? {});
  if (document.get("default") === name) {
    if (left[0] === undefined) document.delete("default");
    else document.set("default", left[0]);
  }
  writeConfig(document, path);
}

/** Written beside the file and renamed, so that a crash leaves the former file. @param {import("yaml").Document} document @param {string} path */
function writeConfig(document, path) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, document.toString(), { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, path);
}

/** A warning where others may read the file with the keys. @param {string} [path] */
export function checkConfigMode(path = getConfigPath()) {
  if (process.platform === "win32" || !existsSync(path)) return undefined;
  return (statSync(path).mode & 0o077) === 0
    ? undefined
    : `Other users of this machine can read your keys in ${path}. Run: chmod 600 ${path}`;
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The origin of an exchange. Keys are sent over https only, except to this machine. @param {string} text */
export function checkUrl(text) {
  const withScheme = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(withScheme))
    throw usageError(`${text} is not an address`, "Write it like https://mess.example.org.");
  const { origin, protocol, hostname } = new URL(withScheme);
  if (protocol === "http:" && !LOOPBACK.test(hostname))
    throw usageError(
      `${text} has no https, so that others could read your key`,
      "Use the address that begins with https://.",
    );
  return origin;
}
