/** Texts of the console that the other pages do not have. */
import { createPageTexts, maybe } from "../respond/ui/i18n.js";
import { texts as en } from "./lang/en.js";

const own = createPageTexts(en, "/console");

export const { load: loadTexts, text } = own;

/**
 * The text of a key built at run time, also one of the other pages.
 * @param {string} key
 * @param {string} otherwise shown if there is no such text
 */
export const findText = (key, otherwise) => own.find(key) ?? maybe(key) ?? otherwise;
