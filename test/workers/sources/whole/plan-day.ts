/** The messages of a day, chosen by a seed: mail, alerts and chats, of every tier, some delivered twice. */
import type { Tier } from "../../../../src/mess/sources/vocabulary.ts";
import { createSeededRandom } from "../../../support/generators/random.ts";

export type SourceName = "mail" | "alerts" | "chat";

export interface PlannedMessage {
  source: SourceName;
  /** In its text, and in no other message. */
  mark: string;
  tier: Tier;
  /** Undefined where the verdict suggests no answer. */
  draft?: string;
  /** `unreadable`: the classifier writes nonsense; `rule`: a rule of the owner decides. */
  by: "classifier" | "rule" | "unreadable";
  isDelivered: "once" | "twice";
  /** The owner's decision about its draft. */
  owner: "approves" | "leaves";
  /** For mail: how many messages of its thread came before. */
  earlier: number;
}

export const NEWSLETTER_DOMAIN = "newsletter.example";

const TIERS: readonly Tier[] = ["IGNORE", "DECLINE", "DEFER", "NOTIFY"];
const SOURCES: readonly SourceName[] = ["mail", "mail", "alerts", "chat"];

export function planDay(seed: number, count: number): PlannedMessage[] {
  const random = createSeededRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[random.pickBetween(0, from.length - 1)]!;
  return Array.from({ length: count }, (_, n) => {
    const mark = `matter-${seed}-${n}-`;
    const source = pick(SOURCES);
    const isRule = source === "mail" && random.next() < 0.15;
    const isUnreadable = !isRule && random.next() < 0.1;
    const tier = isRule ? "IGNORE" : isUnreadable ? "DEFER" : pick(TIERS);
    const isAnswered = !isUnreadable && tier !== "IGNORE" && random.next() < 0.8;
    return {
      source,
      mark,
      tier,
      ...(isAnswered ? { draft: `The answer to ${mark}.` } : {}),
      by: isRule ? "rule" : isUnreadable ? "unreadable" : "classifier",
      isDelivered: random.next() < 0.2 ? "twice" : "once",
      owner: random.next() < 0.5 ? "approves" : "leaves",
      earlier: random.pickBetween(0, 3),
    };
  });
}
