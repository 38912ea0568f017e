/** Texts of the agent groups, in the language of the inbox. */
import { createViewTexts } from "../view-texts.js";
import { texts as en } from "./lang/en.js";

/** @typedef {keyof typeof en} GroupTextKey */

export const {
  getTools,
  setTools,
  load: loadGroupTexts,
  text: groupText,
} = createViewTexts(en, "/inbox/agent-groups");
