/** Changes of the policy, the rules and the corrections by which messages are classified. */
import type { AuditSource } from "../../contracts/audit.ts";
import type { ClassifierExample } from "../../contracts/household-sources.ts";
import { defined } from "../../mess/defined.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { addLearnedRule, learnRule } from "../../mess/sources/learn-rule.ts";
import { type ClassifierRule, classifierRulesSchema } from "../../mess/sources/rules.ts";
import { SOURCE_LIMITS } from "../../mess/sources/vocabulary.ts";
import { findDeepestIssue } from "../../mess/wire/body-errors.ts";
import { EXCHANGE_SOURCE } from "../audit/audit.ts";
import type { Stores } from "../stores.ts";
import { catchUpSources } from "./source-jobs.ts";

/** Adds a version, unless the policy has this text already. */
export function changePolicy(
  stores: Stores,
  text: string,
  by: AuditSource,
  now: number,
): Outcome<true> {
  if (text.trim() === "" || text.length > SOURCE_LIMITS.policyChars)
    return refuse(
      "bad_field",
      "policy: empty or too long",
      `Write 1 to ${SOURCE_LIMITS.policyChars} characters.`,
      { path: "policy" },
    );
  const before = stores.messageGuidance.getPolicy();
  if (before.text === text) return ok(true);
  stores.messageGuidance.addPolicy(text, by.actor, now);
  const { version } = stores.messageGuidance.getPolicy();
  stores.audit.append({ action: "policy_changed", source: by, detail: { version } }, now);
  catchUpSources(stores, now);
  return ok(true);
}

/** Replaces all rules. */
export function changeRules(
  stores: Stores,
  rules: unknown,
  by: AuditSource,
  now: number,
): Outcome<true> {
  const read = classifierRulesSchema.safeParse(rules);
  if (!read.success) {
    const issue = findDeepestIssue(read.error.issues[0]!);
    const path = ["rules", ...issue.path.map(String)].join(".");
    const hint = "Write a list of {sender, domain, words, list, source, tier, note}.";
    return refuse("bad_field", `${path}: ${issue.message}`, hint, { path });
  }
  storeRules(stores, read.data, by, now);
  return ok(true);
}

function storeRules(
  stores: Stores,
  rules: readonly ClassifierRule[],
  by: AuditSource,
  now: number,
): void {
  if (JSON.stringify(rules) === JSON.stringify(stores.messageGuidance.listRules())) return;
  stores.messageGuidance.setRules(rules);
  stores.audit.append(
    { action: "rules_changed", source: by, detail: { rules: rules.length } },
    now,
  );
  catchUpSources(stores, now);
}

/** Keeps the correction of a person, and the rule that follows from it. */
export function learnFrom(stores: Stores, example: ClassifierExample, now: number): void {
  const { messageGuidance: guidance } = stores;
  if (!stores.messageSources.find(example.source)) return;
  const earlier = guidance.listCorrections();
  guidance.addCorrection(example);
  const learned = learnRule(earlier, toCorrection(example));
  if (learned)
    storeRules(stores, addLearnedRule(guidance.listRules(), learned), EXCHANGE_SOURCE, now);
}

/** For imports: the examples as they were exported, without rules that follow from them. */
export function replaceExamples(stores: Stores, examples: readonly ClassifierExample[]): void {
  stores.messageGuidance.clearCorrections();
  for (const example of examples)
    if (stores.messageSources.find(example.source)) stores.messageGuidance.addCorrection(example);
}

const toCorrection = ({ source, message, sender, tier, list }: ClassifierExample) => ({
  source,
  message,
  sender,
  tier,
  ...defined({ list }),
});
