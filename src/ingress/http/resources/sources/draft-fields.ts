/** The fields of bodies and parameters about drafts, which the routes of keys and of people share. */
import * as z from "zod";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { DRAFT_STATES, SOURCE_LIMITS } from "../../../../mess/sources/vocabulary.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { listCursor, numberSchema, timeSchema } from "../../parameters.ts";

const idSchema = boundedTextSchema(LIMITS.wordChars).min(1);
const recipientsSchema = z
  .array(boundedTextSchema(SOURCE_LIMITS.addressChars))
  .max(SOURCE_LIMITS.recipientsPerDraft);
const subjectSchema = boundedTextSchema(SOURCE_LIMITS.subjectChars);
const textSchema = boundedTextSchema(SOURCE_LIMITS.draftChars);

export const newDraftSchema = z.strictObject({
  message: idSchema.exactOptional(),
  to: recipientsSchema.exactOptional(),
  subject: subjectSchema.exactOptional(),
  body: textSchema,
  forward: z.literal(true).exactOptional(),
});

export const draftChangeSchema = z.strictObject({
  to: recipientsSchema.exactOptional(),
  subject: subjectSchema.exactOptional(),
  body: textSchema.exactOptional(),
  revision: z.int().min(1).max(SOURCE_LIMITS.revisionsPerDraft),
});

export const draftListSchema = z.strictObject({
  state: z.enum(DRAFT_STATES).exactOptional(),
  limit: numberSchema(1, SOURCE_LIMITS.pageMessages).default(SOURCE_LIMITS.defaultPageMessages),
  cursor: listCursor,
});

/** SHA-256 in hex. */
const DIGEST_PATTERN = /^[0-9a-f]{64}$/;

export const approvalSchema = z.strictObject({
  digest: boundedTextSchema(64).regex(DIGEST_PATTERN),
  send_at: timeSchema.exactOptional(),
});
