/** `mess login`: signs in to an exchange in the browser, or with a key, and stores it as a profile. */
import { hostname, userInfo } from "node:os";
import { readArguments } from "../lib/command.js";
import { CliError, usageError } from "../lib/errors.js";
import { Exchange } from "../lib/exchange.js";
import {
  checkUrl,
  getConfigPath,
  PROFILE_PATTERN,
  readProfiles,
  saveProfile,
} from "../lib/profiles.js";
import { readSecret } from "../lib/prompt.js";
import { signInByBrowser } from "../lib/sign-in.js";
import { toSafeText } from "../lib/text.js";

const USAGE = "mess login [URL] [--profile NAME] [--key]";

/** @type {import("../lib/command.js").Command} */
export const login = {
  name: "login",
  summary: "Sign in to an exchange",
  usage: [USAGE],
  description: `Opens a page of the exchange in your browser, where you confirm a code and choose the household and what
the command line may do there. With --key it reads an API key from the terminal or from standard
input instead, never from the arguments, where other users could see it.

Each sign-in is stored as a profile in config.yaml, which only you can read. Without URL, you sign in
again to the exchange of the profile. Programs can set MESS_URL and MESS_API_KEY instead.`,
  options: {
    key: { type: "boolean", help: "read an API key from standard input" },
    "no-browser": {
      type: "boolean",
      help: "only print the address to open, such as for another device",
    },
  },
  examples: [
    ["mess login https://mess.example.org", "sign in by your browser"],
    [
      "mess login https://mess.example.org --profile work",
      "a second exchange, to be used with --profile work",
    ],
    [
      "mess login https://mess.example.org --key < key.txt",
      "sign in with a key, such as on a server",
    ],
  ],
  run: async (context) => {
    const [given = ""] = readArguments(context, ["URL?"], USAGE);
    const { profile, key } = context.values;
    if (profile !== undefined && !PROFILE_PATTERN.test(profile))
      throw usageError(
        `${profile} cannot be the name of a profile`,
        "Use letters, digits, - and _.",
      );
    const url = given === "" ? findUrl(profile) : checkUrl(given);
    const label = `mess on ${hostname()} (${readUserName()})`;
    const api_key = key
      ? await readSecret("API key: ")
      : await signInByBrowser(context, url, label);
    const { household, you } = await new Exchange({ url, api_key }).get("/api/v1/household");
    const name = profile ?? chooseName(household.id, url);
    saveProfile({ name, url, api_key });
    context.show({ profile: name, url, household: household.id, ...you }, () =>
      [
        `You are signed in to ${toSafeText(household.name ?? household.id)} as ${you.actor} (${you.role}).`,
        `Profile ${name} in ${getConfigPath()}.`,
        ...(readProfiles().fallback === name
          ? []
          : [`Use it with --profile ${name}, or make it the default: mess profiles use ${name}`]),
      ].join("\n"),
    );
  },
};

/** @param {string | undefined} name */
function findUrl(name) {
  const { profiles, fallback } = readProfiles();
  const known = profiles.find((one) => one.name === (name ?? fallback));
  if (known) return checkUrl(known.url);
  throw usageError(
    "the address of the exchange is missing",
    "Write: mess login https://your.exchange",
  );
}

/** The household's id, unless it is the profile of another exchange. @param {string} household @param {string} url */
function chooseName(household, url) {
  const known = readProfiles().profiles.find(({ name }) => name === household);
  if (!known || known.url === url) return household;
  throw new CliError(`${household} is already the name of a profile for ${known.url}`, {
    hint: "Sign in again with another name: --profile NAME",
    exit: "usage",
  });
}

function readUserName() {
  try {
    return userInfo().username;
  } catch {
    return "unknown user";
  }
}
