/**
 * Reads the verdict of a classifier. Strict: whatever else the text contains makes it unreadable, so that no part of the
 * classified message that the classifier repeats can count as a verdict.
 */
import { type Outcome, refuse } from "../errors.ts";
import { toOneLine } from "../one-line.ts";
import { ok } from "../result.ts";
import { cutText } from "./cut-message.ts";
import type { Verdict } from "./verdict.ts";
import { SOURCE_LIMITS, TIERS, type Tier, type Urgency } from "./vocabulary.ts";

/** The lines before the draft. */
const MAX_HEAD_CHARS = 1_000;
export const MAX_VERDICT_CHARS = SOURCE_LIMITS.draftChars + MAX_HEAD_CHARS;

const KEYWORDS = ["TIER", "REASON", "URGENCY", "DRAFT"] as const;
type Keyword = (typeof KEYWORDS)[number];

export const VERDICT_FORM = [
  `TIER: ${TIERS.join(" | ")}`,
  "REASON: one sentence",
  "URGENCY: 0 to 3 (optional)",
  "DRAFT: suggested reply, up to the end of the text (optional)",
].join("\n");

const refuseVerdict = (reason: string): Outcome<never> =>
  refuse(
    "bad_verdict",
    `the verdict cannot be read: ${reason}`,
    `Write these lines, in this order, and nothing else:\n${VERDICT_FORM}`,
    { valid: TIERS },
  );

const KEYWORD_LINE = /^(TIER|REASON|URGENCY|DRAFT):(.*)$/is;

/** Accepts the keywords and the tier in any case. */
export function parseVerdict(text: string): Outcome<Verdict> {
  if (text.length > MAX_VERDICT_CHARS)
    return refuseVerdict(`it has more than ${MAX_VERDICT_CHARS} characters`);
  const values = readLines(text.trim().split(/\r\n|\n|\r/));
  if (!values.ok) return values;
  const { TIER, REASON, URGENCY, DRAFT } = values.value;
  const tier = TIERS.find((each) => each === TIER?.toUpperCase());
  if (TIER === undefined) return refuseVerdict("TIER is missing");
  if (!tier) return refuseVerdict("TIER is none of the four");
  const reason = REASON === undefined ? "" : toOneLine(REASON);
  if (reason === "") return refuseVerdict("REASON is missing");
  if (URGENCY !== undefined && !/^[0-3]$/.test(URGENCY))
    return refuseVerdict("URGENCY is not a number from 0 to 3");
  if (DRAFT !== undefined && DRAFT.length > SOURCE_LIMITS.draftChars)
    return refuseVerdict(`DRAFT has more than ${SOURCE_LIMITS.draftChars} characters`);
  return ok({
    tier,
    reason: cutText(reason, SOURCE_LIMITS.reasonChars),
    urgency: Number(URGENCY ?? 0) as Urgency,
    ...(hasDraft(tier, DRAFT) ? { draft: DRAFT } : {}),
  });
}

/** Nothing is answered to an ignored message, even if the classifier suggests it. */
const hasDraft = (tier: Tier, draft: string | undefined): draft is string =>
  tier !== "IGNORE" && draft !== undefined && draft !== "";

/** The values by keyword. Each keyword at most once, also inside of the draft; no other line before the draft. */
function readLines(lines: readonly string[]): Outcome<Partial<Record<Keyword, string>>> {
  const values: Partial<Record<Keyword, string>> = {};
  const draft: string[] = [];
  for (const line of lines) {
    const match = KEYWORD_LINE.exec(line);
    const isDraft = values.DRAFT !== undefined;
    if (!match) {
      if (isDraft) draft.push(line);
      else if (line.trim() !== "")
        return refuseVerdict("it contains a line that starts with none of the keywords");
      continue;
    }
    const keyword = match[1]!.toUpperCase() as Keyword;
    if (values[keyword] !== undefined) return refuseVerdict(`${keyword} occurs twice`);
    if (isDraft) return refuseVerdict(`${keyword} comes after DRAFT`);
    if (keyword !== "TIER" && values.TIER === undefined)
      return refuseVerdict("its first line is not TIER");
    values[keyword] = match[2]!.trim();
  }
  if (values.DRAFT === undefined) return ok(values);
  return ok({ ...values, DRAFT: [values.DRAFT, ...draft].join("\n").trim() });
}

/** Without control characters, which a page or a terminal could interpret. */
// oxlint-disable-next-line no-control-regex
