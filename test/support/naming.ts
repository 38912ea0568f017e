/** Checks texts for people by the data in them, so that tests do not depend on the wording. */
import { expect } from "vitest";
import { type ReplyKeyword, readKeyword } from "../../src/channels/replies/reply-keywords.ts";

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Matches a text that has each of these names or values as a complete word, in any order. */
export const expectNaming = (...names: readonly (string | number)[]): unknown =>
  expect.stringMatching(
    new RegExp(
      names.map((name) => `(?=[^]*(?<!\\w)${escapePattern(String(name))}(?!\\w))`).join(""),
    ),
  );

/** Lists the short replies that a text offers, such as `1` or `DONE`, as the exchange parses them. */
export const listOfferedAnswers = (text: string): ReplyKeyword[] =>
  (text.replaceAll(/https?:\/\/\S+/g, "").match(/\b[01]\b|\b[A-Z]{2,}(?: [A-Z]{2,})*\b/g) ?? [])
    .map(readKeyword)
    .filter((word) => word !== undefined);
