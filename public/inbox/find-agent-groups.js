/** Finds out whether the person sees groups of agents. Their pages are loaded only then. */
import { announce } from "../respond/ui/accessibility.js";
import { call } from "../respond/send/api.js";
import { currentLanguage, format } from "../respond/ui/i18n.js";
import { ago, clock } from "../respond/ui/time-format.js";

/** A bundle of its own in the deployed copy, so that it does not count for the first view. */
const MODULE = "/inbox/agent-groups/agent-groups.js";

/**
 * The parts of the inbox that the module uses: in its own bundle, copies of these would not know the language or the server's
 * clock.
 */
const tools = { call, format, currentLanguage, clock, ago, announce };

/** @typedef {typeof tools} InboxTools */

let loaded = false;

async function look() {
  if (loaded || document.visibilityState === "hidden") return;
  const isAsked = location.hash.startsWith("#agents");
  const { groups } = await (await call("/inbox/groups")).json();
  if (loaded || (groups.length === 0 && !isAsked)) return;
  loaded = true;
  try {
    const { startAgentGroups } = await import(MODULE);
    await startAgentGroups(tools, groups);
  } catch (error) {
    loaded = false;
    throw error;
  }
}

/** Looks now, and again whenever the person returns or refreshes the inbox, until there is a group. */
export async function findAgentGroups() {
  const lookAgain = () => void look().catch(() => {});
  for (const event of ["visibilitychange", "mess-refresh"])
    document.addEventListener(event, lookAgain);
  addEventListener("online", lookAgain);
  addEventListener("hashchange", lookAgain);
  await look();
}
