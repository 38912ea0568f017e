/** `mess logout`: ends the key of a sign-in, and removes the profile. */
import { readArguments } from "../lib/command.js";
import { CliError, usageError } from "../lib/errors.js";
import { Exchange } from "../lib/exchange.js";
import { readProfiles, removeProfile, resolveProfile } from "../lib/profiles.js";

const USAGE = "mess logout [--profile NAME]";

/** @type {import("../lib/command.js").Command} */
export const logout = {
  name: "logout",
  summary: "Sign out of an exchange",
  usage: [USAGE],
  description: `Removes the profile from this machine. A key that you got by signing in in the browser ends at the
exchange, too; a key that an owner made for you stays valid, since it may be used elsewhere.`,
  run: async (context) => {
    readArguments(context, [], USAGE);
    const { profiles, fallback } = readProfiles();
    const name = context.values["profile"] ?? fallback;
    const profile = profiles.find((one) => one.name === name);
    if (!profile)
      throw usageError(
        name === undefined ? "you are not signed in" : `there is no profile ${name}`,
        "mess profiles lists yours.",
      );
    const revoked = await endKey(profile);
    removeProfile(profile.name);
    context.show(
      { profile: profile.name, key_ended: revoked },
      () =>
        `Signed out of ${profile.name}.${revoked ? "" : " Its key is still valid at the exchange; an owner can revoke it."}`,
    );
  },
};

/** @param {import("../lib/profiles.js").Profile} profile */
async function endKey(profile) {
  try {
    await new Exchange(resolveProfile(profile)).call("DELETE", "/api/v1/device-tokens");
    return true;
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
}
