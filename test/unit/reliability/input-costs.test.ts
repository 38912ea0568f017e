import { describe, expect, it, vi } from "vitest";
import { matchesEtag, readRange } from "../../../src/attachments/range-request.ts";
import { findReplyCodes } from "../../../src/auth/links/reply-codes.ts";
import { htmlToText } from "../../../src/channels/email/html-to-text.ts";
import { extractReplyText } from "../../../src/channels/email/reply-text.ts";
import { isQuestion, readKeyword } from "../../../src/channels/replies/reply-keywords.ts";
import { CHANNELS } from "../../../src/channels/registry.ts";
import { toNoticeLine } from "../../../src/channels/shared/notice-text.ts";
import { toPlainText as slackText } from "../../../src/channels/slack/receive.ts";
import { readCron } from "../../../src/household/schedules/cron.ts";
import { chooseFormat } from "../../../src/ingress/http/response-format.ts";
import { cleanText, inlineText, quoteText } from "../../../src/ingress/mcp/text/untrusted-text.ts";
import { checkActorId } from "../../../src/mess/actors.ts";
import { readDuration } from "../../../src/mess/durations.ts";
import { isFileName, isId, isResource, isTarget } from "../../../src/mess/names.ts";
import {
  buildAttachmentName,
  parseThreadRef,
  toSafeFileName,
  toSlug,
  splitTarget,
} from "../../../src/mess/refs.ts";
import { readSpan, readWindow } from "../../../src/mess/routing/availability.ts";
import { buildObservationText } from "../../../src/mess/routing/observations.ts";
import { readStatus } from "../../../src/mess/status.ts";
import { isZone, readTime } from "../../../src/mess/times.ts";
import { toPlainText } from "../../../src/mess/wire/content/content.ts";
import { readBase64, readDataUri, readMime } from "../../../src/mess/wire/content/data-uri.ts";
import { parseMessages } from "../../../src/mess/wire/parse.ts";
import { readBlock } from "../../../src/mess/wire/read-block.ts";
import { normalizeCapabilityId } from "../../../src/mess/wire/schema.ts";
import { writeYaml } from "../../../src/mess/wire/serialize.ts";
import { buildIndexedTerms, buildMatchExpression } from "../../../src/partitions/search-terms.ts";
import { redact } from "../../../src/redact.ts";
import { findCostFault } from "../../support/cost.ts";
import { FIELDS, buildPayloadWith } from "../../support/generators/message-text-places.ts";

vi.setConfig({ testTimeout: 120_000 });

/** Repeated parts: white space, the separators of a name, the control characters of each format. */
const FILLERS = [
  ...Array.from(" \t\n.-_/\\a1=<>()&:@#%?\",|;~+*[]{}$^'!é日"),
  "\u00A0",
  "\r\n",
  "\n ",
  "a ",
  "a.",
  "a-",
  ", ",
  "<b> ",
  "1w ",
  "..-",
  "&#",
  "\u200B",
  "\u0301",
];

/** Suffixes, so that the repetition does not end the text. */
const ENDS = ["!", "x", ""];

interface Shape {
  name: string;
  make: (size: number) => string;
}

const listShapes = (beginnings: readonly string[], ends: readonly string[] = ENDS): Shape[] =>
  beginnings.flatMap((beginning) =>
    FILLERS.flatMap((filler) =>
      ends.map((end) => ({
        name: JSON.stringify([beginning, filler, end]),
        make: (size: number) => beginning + filler.repeat(Math.ceil(size / filler.length)) + end,
      })),
    ),
  );

/** The first form of text whose cost grows too fast, with the growth. */
function findExpensive(
  work: (text: string) => unknown,
  tried: readonly Shape[],
  cheapMs?: number,
): string | undefined {
  for (const { name, make } of tried) {
    const fault = findCostFault(work, make, cheapMs);
    if (fault !== undefined) return `${name}: ${fault}`;
  }
  return undefined;
}

const failNever = () => false;

/** Every function that parses text from outside, with prefixes that it looks for. */
const READERS: readonly [string, (text: string) => unknown, ...string[]][] = [
  ["durations", readDuration, "1w", "P1DT"],
  ["times", (text) => readTime(text, "UTC"), "2031-01-02", "2031-01-02T12:00"],
  ["time zones", isZone, "Europe/"],
  ["statuses", readStatus, "in"],
  ["ids", isId, "a"],
  ["targets", isTarget, "a", "a/"],
  ["parts of targets", splitTarget, "a/"],
  ["thread refs", parseThreadRef, "2031-01-02-001", "2031-01-02-001-a"],
  ["slugs", toSlug, "a"],
  ["actor ids", (text) => checkActorId(text, ""), "a"],
  ["capabilities", normalizeCapabilityId, "a"],
  ["names of files", isFileName, "a", "att-001-image-"],
  ["safe file names", (text) => toSafeFileName(text, "image/png"), "a", "a."],
  [
    "attachment names",
    (text) => buildAttachmentName(1, "image", text, "image/png", failNever),
    "a",
  ],
  ["resources", isResource, "content://a/"],
  ["hours", readSpan, "08:00", "08:00-"],
  ["windows", readWindow, "0 8", "0 8 * * 1-"],
  ["cron expressions", readCron, "0 8", "@"],
  ["MIME types", readMime, "image/", "image/png;"],
  ["data URIs", readDataUri, "data:image/png;", "data:text/plain;base64,", "data:,"],
  ["base64", readBase64, "QUJD"],
  ["searchable words", (text) => toPlainText([text]), "a"],
  ["terms of the index", buildIndexedTerms, "a"],
  ["search expressions", (text) => buildMatchExpression("home", text), "a"],
  [
    "observations that may be joined",
    (text) => buildObservationText({ intent: text, coalesce: true }),
    "1",
  ],
  ["written YAML", (text) => writeYaml({ text, [text]: [text] }), "a", "a\n", "2031-01-02-001"],
  ["replies by mail", extractReplyText, "On 1 May", "From: ", "--", "1 ", "Sent from my "],
  ["mails in HTML", htmlToText, "<div ", "<b>", "<!--"],
  ["codes in mails", (text) => findReplyCodes(text, text), "reply+", "<"],
  ["reply keywords", readKeyword, "ok"],
  ["questions", isQuestion, "?"],
  ["text from Slack", slackText, "<", ":a", "<@"],
  ["lines of notices", (text) => toNoticeLine(text, 200), "a"],
  ["text for models", (text) => [cleanText(text), quoteText(text), inlineText(text, 200)], "a"],
  ["ranges of files", (text) => readRange(text, 1_000), "bytes=", "bytes=1"],
  ["ETags", (text) => matchesEtag(text, '"a"'), "W/"],
  ["accepted formats", chooseFormat, "a/b;q="],
  ["texts of the log", redact, "https://a:b@c.example/", "eyJ", "/mess?", "bearer "],
  ["phone numbers", (text) => CHANNELS.sms.address.safeParse(text), "+39"],
  ["email addresses", (text) => CHANNELS.email.address.safeParse(text), "ann@a", "a."],
  ["addresses", (text) => CHANNELS.webhook.address.safeParse(text), "https://a/"],
];

/** Milliseconds for reading 16 KB of YAML on a busy machine; quadratic time would take ten times as long. */
const CHEAP_BODY_MS = 60;

describe("the cost of a text grows at most linearly", () => {
  it.each(READERS)(
    "the cost of reading %s grows at most linearly",
    (_name, read, ...beginnings) => {
      expect(findExpensive(read, listShapes(["", ...beginnings]))).toBeUndefined();
    },
  );

  it("the cost of reading each field of a message grows at most linearly", () => {
    const tried = listShapes(["", "1w"], ["x"]);
    const faults = FIELDS.flatMap((place) => {
      const fault = findExpensive(
        (text) => readBlock(place.type, buildPayloadWith(place, text), []),
        tried,
      );
      return fault === undefined ? [] : [`${place.type}.${place.path.join(".")} ${fault}`];
    });

    expect(faults).toEqual([]);
  });

  it.each([
    ["a plain scalar", (text: string) => `request: look ${text}`],
    ["a single-quoted scalar", (text: string) => `request: 'look ${text}'`],
    ["a double-quoted scalar", (text: string) => `request: "look ${text}"`],
    ["a literal block", (text: string) => `request: |\n  look\n  ${text}\n`],
    ["a folded block", (text: string) => `request: >-\n  look\n  ${text}\n`],
    ["a key", (text: string) => `request: {intent: look, "${text}": 1}`],
    ["a comment", (text: string) => `request: look # ${text}\n`],
    ["a flow map", (text: string) => `request: {intent: look ${text}}`],
    ["JSON", (text: string) => JSON.stringify({ request: { intent: "look", notes: text } })],
    ["the whole body", (text: string) => text],
  ])("the cost of reading %s of a body grows at most linearly", (_name, write) => {
    expect(
      findExpensive((text) => parseMessages(write(text)), listShapes([""], ["x"]), CHEAP_BODY_MS),
    ).toBeUndefined();
  });

  it("the check finds a text whose cost grows faster than linearly", () => {
    const tried = listShapes(["1w"], ["x"]);
    const several = /^(\d+w)?\s*(\d+d)?\s*(\d+h)?$/;

    expect(findExpensive((text) => text.replace(/ +$/, ""), tried)).toBeDefined();
    expect(findExpensive((text) => several.exec(text), tried)).toBeDefined();
    expect(findExpensive((text) => text.trimEnd(), tried)).toBeUndefined();
  });
});
