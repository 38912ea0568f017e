/** Texts of the agent groups, in the language of the inbox. */
import { texts as en } from "./lang/en.js";

/**
 * @typedef {keyof typeof en} GroupTextKey
 * @typedef {import("../find-agent-groups.js").InboxTools} InboxTools
 */

/** @type {Record<string, string>} */
let texts = en;
/** @type {InboxTools | undefined} */
let tools;
let language = "en";

/** @param {InboxTools} given */
export function setTools(given) {
  tools = given;
}

export const getTools = () => /** @type {InboxTools} */ (tools);

/** @returns {Promise<boolean>} whether the texts are others than before */
export async function loadGroupTexts() {
  const wanted = getTools().currentLanguage();
  if (wanted === language) return false;
  try {
    texts =
      wanted === "en"
        ? en
        : { ...en, ...(await import(`/inbox/agent-groups/lang/${wanted}.js`)).texts };
    language = wanted;
    return true;
  } catch {
    // Offline, and this language is not cached.
    return false;
  }
}

/**
 * @param {GroupTextKey} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export const groupText = (key, values = {}) => getTools().format(texts[key] ?? key, values);
