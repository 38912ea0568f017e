/** Texts and styles of a view that the inbox loads later. */
import { h } from "../respond/ui/dom.js";

/** @typedef {import("./inbox-tools.js").InboxTools} InboxTools */

/**
 * The texts of a view, in the language of the inbox.
 * @template {Record<string, string>} T
 * @param {T} en
 * @param {string} folder of the view, with its languages in `lang`
 */
export function createViewTexts(en, folder) {
  /** @type {Record<string, string>} */
  let texts = en;
  /** @type {InboxTools | undefined} */
  let tools;
  let language = "en";
  const getTools = () => /** @type {InboxTools} */ (tools);
  return {
    getTools,
    /** @param {InboxTools} given */
    setTools: (given) => {
      tools = given;
    },
    /** @returns {Promise<boolean>} whether the texts are others than before */
    load: async () => {
      const wanted = getTools().currentLanguage();
      if (wanted === language) return false;
      try {
        texts =
          wanted === "en" ? en : { ...en, ...(await import(`${folder}/lang/${wanted}.js`)).texts };
        language = wanted;
        return true;
      } catch {
        // Offline, and this language is not cached.
        return false;
      }
    },
    /**
     * @param {keyof T & string} key
     * @param {Record<string, string | number>} [values]
     * @returns {string}
     */
    text: (key, values = {}) => getTools().format(texts[key] ?? key, values),
  };
}

/** @param {string} href @returns {Promise<void>} */
export const loadStyles = (href) =>
  new Promise((resolve, reject) => {
    const link = h("link", { rel: "stylesheet", href });
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => reject(new Error(`${href} was not loaded`)));
    document.head.append(link);
  });

/** Calls `redraw` after the settings of the page have changed its language. @param {() => Promise<boolean>} load @param {() => void} redraw */
export const onLanguage = (load, redraw) =>
  new MutationObserver(async () => {
    if (await load()) redraw();
  }).observe(document.documentElement, { attributeFilter: ["lang"] });
