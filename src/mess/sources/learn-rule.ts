/** Derives rules from the corrections of people. */
import { foldText } from "./fold-text.ts";
import { type ClassifierRule, foldListId } from "./rules.ts";
import { SOURCE_LIMITS, type Tier } from "./vocabulary.ts";

/** A correction, as far as rules depend on it. */
export interface Correction {
  /** Name of the source and id of the message. */
  source: string;
  message: string;
  sender: string;
  list?: string;
  tier: Tier;
}

/** A single correction can concern the one message only. */
const CORRECTIONS_FOR_A_RULE = 2;

/**
 * The rule that the newest correction makes: the same tier as before for the same mailing list or sender. Undefined
 * where it is the first, or where the former one disagrees.
 * @param earlier the oldest first; those of the same message do not count
 */
export function learnRule(
  earlier: readonly Correction[],
  newest: Correction,
): ClassifierRule | undefined {
  const key = buildKey(newest);
  const similar = earlier.filter(
    ({ source, message, ...correction }) =>
      (message !== newest.message || source !== newest.source) && buildKey(correction) === key,
  );
  const last = similar.slice(1 - CORRECTIONS_FOR_A_RULE);
  if (last.length < CORRECTIONS_FOR_A_RULE - 1) return undefined;
  if (last.some(({ tier }) => tier !== newest.tier)) return undefined;
  return {
    ...(newest.list === undefined ? { sender: newest.sender } : { list: newest.list }),
    tier: newest.tier,
    note: "You corrected earlier messages like this one.",
  };
}

/**
 * Puts the learned rule before the others, so that it decides, in place of one with the same condition. Where there are
 * as many rules as possible, nothing changes: the owner's own rules are not dropped.
 */
export function addLearnedRule(
  rules: readonly ClassifierRule[],
  learned: ClassifierRule,
): ClassifierRule[] {
  const others = rules.filter((rule) => buildRuleKey(rule) !== buildRuleKey(learned));
  return others.length < SOURCE_LIMITS.rules ? [learned, ...others] : [...rules];
}

/** Undefined for a rule that has other conditions than one sender or one list. */
function buildRuleKey({ sender, list, domain, words, source }: ClassifierRule): string | undefined {
  if (domain !== undefined || words !== undefined || source !== undefined) return undefined;
  if (sender !== undefined && list !== undefined) return undefined;
  return buildKey({ sender: sender ?? "", ...(list === undefined ? {} : { list }) });
}

const buildKey = ({ sender, list }: { sender: string; list?: string }): string =>
  list === undefined ? `sender ${foldText(sender)}` : `list ${foldListId(list)}`;
