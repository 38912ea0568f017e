/** Decides about one message: the owner's rules first, then the classifier. Changes nothing. */
import type { ClassificationContext } from "../../contracts/household-sources.ts";
import type { SourceRecord } from "../../contracts/sources.ts";
import { defined } from "../../mess/defined.ts";
import {
  buildClassifierPrompt,
  type ClassifierPrompt,
} from "../../mess/sources/classifier-prompt.ts";
import { parseVerdict } from "../../mess/sources/parse-verdict.ts";
import { matchRules } from "../../mess/sources/rules.ts";
import type { Classification } from "../../mess/sources/verdict.ts";
import { FALLBACK_TIER } from "../../mess/sources/vocabulary.ts";
import { writeTime } from "../../mess/times.ts";
import type { StoredSourceMessage } from "../tables/message-rows.ts";
import {
  type Classifier,
  type ClassifierFailure,
  failUnreadable,
} from "./classifiers/classifier.ts";

export type Judgement = { ok: true; verdict: Classification } | ClassifierFailure;

export type JudgingContext = Omit<ClassificationContext, "classifier">;

/** Undefined where no rule decides. */
export function judgeByRules(
  { rules }: Pick<JudgingContext, "rules">,
  source: string,
  { sender, subject, body, details }: StoredSourceMessage,
): Classification | undefined {
  const about = { source, sender, body, headers: details.headers };
  const rule = matchRules(rules, { ...about, ...defined({ subject: subject ?? undefined }) });
  return (
    rule && { tier: rule.tier, reason: rule.note ?? "A rule decided.", urgency: 0, by: "rule" }
  );
}

/** Waits for the classifier. Never rejects. */
export async function judgeByClassifier(
  classifier: Classifier,
  context: JudgingContext,
  record: SourceRecord,
  message: StoredSourceMessage,
  now: number,
): Promise<Judgement> {
  const answer = await classifier(buildPrompt(context, record, message, now), now);
  if (!answer.ok) return answer;
  const parsed = parseVerdict(answer.text);
  return parsed.ok
    ? { ok: true, verdict: { ...parsed.value, by: "classifier" } }
    : failUnreadable(`The classifier's answer is no verdict: ${parsed.error.message}.`);
}

export const buildPrompt = (
  { policy, examples, household_name, zone }: JudgingContext,
  { name, kind }: SourceRecord,
  message: StoredSourceMessage,
  now: number,
): ClassifierPrompt =>
  buildClassifierPrompt(
    policy.text,
    examples,
    {
      source: name,
      kind,
      sender: message.sender,
      recipient: message.details.recipient,
      body: message.body,
      timestamp: writeTime(message.timestamp, "UTC"),
      attachments: message.files.attachments.map((attachment) => attachment.name),
      ...defined({
        sender_name: message.sender_name ?? undefined,
        subject: message.subject ?? undefined,
        automatic: message.automatic ?? undefined,
      }),
    },
    { zone, now: writeTime(now, zone), ...defined({ name: household_name }) },
    crypto.randomUUID(),
  );

/** The tier of a message about which nothing could be decided: never IGNORE (decision 71). */
export const buildFallback = (reason: string): Classification => ({
  tier: FALLBACK_TIER,
  reason,
  urgency: 0,
  by: "fallback",
  provisional: true,
});

export const NO_CLASSIFIER_REASON =
  "Not classified yet: no classifier is set up, so a connected agent or an owner decides.";
