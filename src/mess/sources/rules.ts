/** The owner's rules, which decide before any classifier. */
import * as z from "zod";
import { boundedTextSchema } from "../lengths.ts";
import { containsWord, foldText } from "./fold-text.ts";
import { isSourceName, SOURCE_LIMITS, TIERS } from "./vocabulary.ts";

const MAX_WORDS = 20;
const MAX_WORD_CHARS = 100;
/** Words are searched for in this much of a body, so that all rules together take some milliseconds. */
const SEARCHED_BODY_CHARS = 20_000;

const conditionSchema = (maxChars: number) => boundedTextSchema(maxChars).trim().min(1);

/** All conditions that are given must hold. Compared without regard to case. */
export const classifierRuleSchema = z
  .strictObject({
    sender: conditionSchema(SOURCE_LIMITS.addressChars)
      .exactOptional()
      .describe("The sender's address"),
    domain: conditionSchema(SOURCE_LIMITS.addressChars)
      .exactOptional()
      .describe("The domain of the sender's address, with those below it"),
    words: z
      .array(conditionSchema(MAX_WORD_CHARS))
      .min(1)
      .max(MAX_WORDS)
      .exactOptional()
      .describe("All of these occur in the subject or the body, as words"),
    list: conditionSchema(SOURCE_LIMITS.headerChars)
      .exactOptional()
      .describe("`List-Id` of a mailing list"),
    source: boundedTextSchema(SOURCE_LIMITS.nameChars)
      .refine(isSourceName, "not the name of a source")
      .exactOptional(),
    tier: z.enum(TIERS),
    note: conditionSchema(SOURCE_LIMITS.reasonChars)
      .exactOptional()
      .describe("Shown as the reason"),
  })
  .refine(
    ({ sender, domain, words, list, source }) =>
      [sender, domain, words, list, source].some((condition) => condition !== undefined),
    "without a condition it would decide about every message: give sender, domain, words, list or source",
  );

export const classifierRulesSchema = z.array(classifierRuleSchema).max(SOURCE_LIMITS.rules);

export type ClassifierRule = z.output<typeof classifierRuleSchema>;

/** The parts of a message about which rules decide. */
export interface RuledMessage {
  source: string;
  sender: string;
  subject?: string;
  body: string;
  headers: readonly (readonly [name: string, value: string])[];
}

/** Returns the first rule of which all conditions hold. */
export function matchRules(
  rules: readonly ClassifierRule[],
  message: RuledMessage,
): ClassifierRule | undefined {
  if (rules.length === 0) return undefined;
  const sender = foldText(message.sender);
  const domain = sender.slice(sender.lastIndexOf("@") + 1);
  const list = foldListId(findListId(message.headers) ?? "");
  const needsText = rules.some(({ words }) => words !== undefined);
  const text = needsText
    ? foldText(`${message.subject ?? ""}\n${message.body.slice(0, SEARCHED_BODY_CHARS)}`)
    : "";
  return rules.find(
    (rule) =>
      (rule.source === undefined || rule.source === message.source) &&
      (rule.sender === undefined || foldText(rule.sender) === sender) &&
      (rule.domain === undefined || isWithinDomain(domain, rule.domain)) &&
      (rule.list === undefined || (list !== "" && foldListId(rule.list) === list)) &&
      (rule.words === undefined || rule.words.every((word) => containsWord(text, foldText(word)))),
  );
}

function isWithinDomain(domain: string, rule: string): boolean {
  const limit = foldText(rule).replace(/^(?:@|\*\.)/, "");
  return domain === limit || domain.endsWith(`.${limit}`);
}

export const findListId = (
  headers: readonly (readonly [name: string, value: string])[],
): string | undefined => headers.find(([name]) => name.toLowerCase() === "list-id")?.[1];

/** The id without the description before it: `News <news.example.com>`. */
export function foldListId(value: string): string {
  const start = value.lastIndexOf("<");
  const end = value.indexOf(">", start);
  return foldText(start === -1 || end === -1 ? value : value.slice(start + 1, end));
}
