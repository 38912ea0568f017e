/** Texts of the inbox that the respond page does not have. */
import { createPageTexts } from "../respond/ui/i18n.js";
import { texts as en } from "./lang/en.js";

/** @typedef {keyof typeof en} InboxTextKey */

export const {
  load: loadTexts,
  text: inboxText,
  find: maybeInboxText,
} = createPageTexts(en, "/inbox");
