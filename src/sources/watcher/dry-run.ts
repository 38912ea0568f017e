/** Classifies messages by another policy, changing nothing. */
import type { ClassificationContext } from "../../contracts/household-sources.ts";
import type { DryRunEntry } from "../../contracts/sources.ts";
import { defined } from "../../mess/defined.ts";
import type { Classification } from "../../mess/sources/verdict.ts";
import type { StoredSourceMessage } from "../tables/message-rows.ts";
import type { SourceStore } from "../tables/source-store.ts";
import type { Classifier } from "./classifiers/classifier.ts";
import { MAX_PARALLEL_CALLS } from "./classify-waiting.ts";
import {
  buildFallback,
  judgeByClassifier,
  judgeByRules,
  NO_CLASSIFIER_REASON,
} from "./judge-message.ts";

/** No call starts later, so that the whole run ends before its caller gives up. */
const MAX_STARTING_MS = 22_000;

const LATE_REASON = "Not tried: the classifier needed too long for the messages before it.";

/** The newest messages, the newest first. */
export async function dryRun(
  store: SourceStore,
  classifier: Classifier | undefined,
  judging: ClassificationContext,
  limit: number,
): Promise<DryRunEntry[]> {
  const record = store.get();
  const waiting = store.messages
    .list({}, 0, Number.MAX_SAFE_INTEGER, limit)
    .map(({ seq }, index) => ({ seq, index }));
  const entries: DryRunEntry[] = [];
  const end = Date.now() + MAX_STARTING_MS;
  let outage: string | undefined;

  const judge = async (message: StoredSourceMessage): Promise<Classification> => {
    const ruled = judgeByRules(judging, record.name, message);
    if (ruled) return ruled;
    if (!classifier) return buildFallback(NO_CLASSIFIER_REASON);
    const now = Date.now();
    if (outage !== undefined || now > end) return buildFallback(outage ?? LATE_REASON);
    const judged = await judgeByClassifier(classifier, judging, record, message, now);
    if (judged.ok) return judged.verdict;
    if (judged.problem === "down") outage = judged.reason;
    return buildFallback(judged.reason);
  };

  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const message = store.messages.load(next.seq);
      if (message) entries[next.index] = buildEntry(message, await judge(message));
    }
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL_CALLS }, work));
  return entries.filter((entry) => entry !== undefined);
}

const buildEntry = (
  { id, sender, subject, tier, provisional }: StoredSourceMessage,
  { tier: after, reason, by }: Classification,
): DryRunEntry => ({
  id,
  sender,
  after,
  reason,
  by,
  ...defined({
    subject: subject ?? undefined,
    before: tier === null || provisional === 1 ? undefined : tier,
  }),
});
