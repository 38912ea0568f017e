/** Texts of the messages view, in the language of the inbox. */
import { createViewTexts } from "../view-texts.js";
import { texts as en } from "./lang/en.js";

export const {
  getTools,
  setTools,
  load: loadMessageTexts,
  text: messageText,
} = createViewTexts(en, "/inbox/messages");

const TIER_TEXTS = /** @type {const} */ ({
  NOTIFY: "tier_NOTIFY",
  DEFER: "tier_DEFER",
  DECLINE: "tier_DECLINE",
  IGNORE: "tier_IGNORE",
});

/** The tier in plain words. @param {MessageTier | undefined} tier */
export const getTierName = (tier) => messageText(tier ? TIER_TEXTS[tier] : "tier_none");

const AUTOMATIC_TEXTS = /** @type {const} */ ({
  auto_reply: "auto_reply",
  bounce: "bounce",
  list: "list",
  bulk: "bulk",
});

/** Which kind of mail that no person wrote. @param {keyof typeof AUTOMATIC_TEXTS} kind */
export const getAutomaticName = (kind) => messageText(AUTOMATIC_TEXTS[kind]);

/** @param {unknown} error the text that explains a failed action */
export function getFailureText(error) {
  const { status, code } = /** @type {{ status?: number, code?: string }} */ (error);
  if (status === 0) return messageText("action_offline");
  return messageText(code === "person_required" ? "not_verified" : "action_failed");
}
