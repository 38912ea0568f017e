/** `mess profiles`: lists the exchanges that this person uses, and chooses the default one. */
import { readArguments } from "../lib/command.js";
import { usageError } from "../lib/errors.js";
import { getConfigPath, readProfiles, setDefaultProfile } from "../lib/profiles.js";
import { writeTable } from "../lib/text.js";

const USAGE = "mess profiles [use NAME]";

/** @type {import("../lib/command.js").Command} */
export const profiles = {
  name: "profiles",
  summary: "List the exchanges you are signed in to, or choose the default one",
  usage: [USAGE],
  examples: [["mess profiles use work", "make work the exchange of commands without --profile"]],
  words: ["use"],
  run: async (context) => {
    const [action = "", name = ""] = readArguments(context, ["use?", "NAME?"], USAGE);
    const known = readProfiles().profiles.map((one) => one.name);
    if (action !== "" && action !== "use")
      throw usageError(`unexpected argument: ${action}`, `Write: ${USAGE}`);
    if (action === "use") {
      if (!known.includes(name))
        throw usageError(`there is no profile ${name}`, `Use one of: ${known.join(", ")}`);
      setDefaultProfile(name);
    }
    const { profiles: listed, fallback } = readProfiles();
    const rows = listed.map((one) => ({
      name: one.name,
      url: one.url,
      default: one.name === fallback,
    }));
    context.show({ config: getConfigPath(), profiles: rows }, () =>
      rows.length === 0
        ? "You are not signed in to an exchange. Sign in with: mess login https://your.exchange"
        : writeTable(
            ["name", "default", "address"],
            rows.map((one) => [one.name, one.default ? "yes" : "", one.url]),
            context.width,
          ),
    );
  },
};
