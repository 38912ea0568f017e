/** Defects of the watcher: a message that nobody sees, a verdict from its sender, a classifier that is not left alone. */
import type { Mutant } from "../mutant.ts";

const CLASSIFY = ["sources/classify"];
const OUTAGE = ["sources/classifier-outage"];
const VERDICTS = ["sources/verdicts"];
const PARSER = ["unit/mess/sources/parse-verdict"];
const PROMPT = ["unit/mess/sources/classifier-prompt"];

export const WATCHER_MUTANTS: readonly Mutant[] = [
  {
    name: "a message that could not be classified is ignored",
    file: "src/sources/watcher/judge-message.ts",
    find: "tier: FALLBACK_TIER,",
    replace: 'tier: "IGNORE",',
    tests: CLASSIFY,
  },
  {
    name: "a message that could not be classified counts as classified",
    file: "src/sources/watcher/judge-message.ts",
    find: "  provisional: true,\n",
    replace: "",
    tests: CLASSIFY,
  },
  {
    name: "a verdict counts that stands before another one",
    file: "src/mess/sources/parse-verdict.ts",
    find: "if (values[keyword] !== undefined) return refuseVerdict(`${keyword} occurs twice`);",
    replace: "if (values[keyword] !== undefined) continue;",
    tests: [...PARSER, ...CLASSIFY],
  },
  {
    name: "a verdict counts after other words",
    file: "src/mess/sources/parse-verdict.ts",
    find: 'else if (line.trim() !== "")',
    replace: 'else if (line.trim() !== "" && values.TIER !== undefined)',
    tests: PARSER,
  },
  {
    name: "an unreadable verdict is taken as IGNORE",
    file: "src/mess/sources/parse-verdict.ts",
    find: 'if (!tier) return refuseVerdict("TIER is none of the four");',
    replace: 'if (!tier) return ok({ tier: "IGNORE", reason: "?", urgency: 0 });',
    tests: PARSER,
  },
  {
    name: "the subject of a message can end its part of the prompt",
    file: "src/mess/sources/classifier-prompt.ts",
    find: "cutText(toOneLine(text), MAX_FIELD_CHARS)",
    replace: "cutText(text, MAX_FIELD_CHARS)",
    tests: PROMPT,
  },
  {
    name: "corrected messages of strangers stand among the instructions",
    file: "src/mess/sources/classifier-prompt.ts",
    find: '${delimit(lines.join("\\n"), boundary)}',
    replace: '${lines.join("\\n")}',
    tests: PROMPT,
  },
  {
    name: "a provisional message is never classified again",
    file: "src/sources/watcher/classify-waiting.ts",
    find: "const due = hasNew ? 0 : hasClassifier ? store.classifier.getNextDue() : undefined;",
    replace: "const due = hasNew ? 0 : undefined;",
    tests: OUTAGE,
  },
  {
    name: "a classifier that does not answer is called for every new message",
    file: "src/sources/watcher/classify-waiting.ts",
    find: "if (!this.#classifier || paused_until > Date.now()) return 0;",
    replace: "if (!this.#classifier) return 0;",
    tests: OUTAGE,
  },
  {
    name: "Retry-After is ignored",
    file: "src/sources/watcher/classifiers/classifier.ts",
    find: "...defined({ retryAfterSeconds }) };",
    replace: "};",
    tests: OUTAGE,
  },
  {
    name: "a second verdict replaces the one that counts",
    file: "src/sources/watcher/store-verdict.ts",
    find: "if (!message || !isUnclassified(message)) return;",
    replace: "if (!message) return;",
    tests: OUTAGE,
  },
  {
    name: "an agent replaces a verdict that is not provisional",
    file: "src/sources/watcher/submit-verdict.ts",
    find: "if (!isUnclassified(message) && !isRepeated)",
    replace: "if (!isUnclassified(message) && !isRepeated && tier === message.tier)",
    tests: VERDICTS,
  },
  {
    name: "an agent corrects tiers, and so teaches the household",
    file: "src/sources/watcher/correct-tier.ts",
    find: "if (!mayCorrect(caller))",
    replace: "if (false as boolean)",
    tests: VERDICTS,
  },
  {
    name: "a message that a person raises to NOTIFY interrupts nobody",
    file: "src/sources/watcher/store-verdict.ts",
    find: 'if (verdict.tier === "NOTIFY" && message.tier !== "NOTIFY")',
    replace: 'if (verdict.tier === "NOTIFY" && message.tier === null)',
    tests: VERDICTS,
  },
  {
    name: "a dry run changes tiers",
    file: "src/sources/watcher/dry-run.ts",
    find: "if (message) entries[next.index] = buildEntry(message, await judge(message));",
    replace: `if (message) {
        const judged = await judge(message);
        store.changes.classify(message.seq, judged);
        entries[next.index] = buildEntry(message, judged);
      }`,
    tests: VERDICTS,
  },
];
