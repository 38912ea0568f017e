/**
 * The `messages` of a `config` block: the classifier of messages, the times of the digest, who is asked, and the policy,
 * rules and examples, which the household keeps apart from its settings.
 */
import * as z from "zod";
import { checkActorId } from "../actors.ts";
import { type Outcome, refuse } from "../errors.ts";
import { isMap, type Json, type JsonMap } from "../json.ts";
import { boundedTextSchema, getLengthHint } from "../lengths.ts";
import { LIMITS } from "../limits.ts";
import { ok } from "../result.ts";
import { classifierRulesSchema } from "../sources/rules.ts";
import { isSourceName, SOURCE_LIMITS, TIERS } from "../sources/vocabulary.ts";
import { findDeepestIssue } from "../wire/body-errors.ts";

const MAX_DIGESTS_PER_DAY = 6;
export const DEFAULT_DIGEST_TIMES: readonly string[] = ["08:00", "18:00"];

const modelSchema = boundedTextSchema(LIMITS.nameChars).trim().min(1);
const secretSchema = boundedTextSchema(4_096).trim().min(1);
const urlSchema = boundedTextSchema(LIMITS.urlChars).pipe(
  z.url({ protocol: /^https?$/, error: "an address such as https://api.example.com/v1" }),
);
const remoteSchema = { url: urlSchema, model: modelSchema, api_key: secretSchema };

/** A correction of a message, as exports write it. */
const exampleSchema = z.strictObject({
  source: boundedTextSchema(SOURCE_LIMITS.nameChars).refine(isSourceName, "the name of a source"),
  message: boundedTextSchema(LIMITS.nameChars).min(1),
  sender: boundedTextSchema(SOURCE_LIMITS.addressChars),
  subject: boundedTextSchema(SOURCE_LIMITS.subjectChars).exactOptional(),
  excerpt: boundedTextSchema(SOURCE_LIMITS.bodyChars),
  list: boundedTextSchema(SOURCE_LIMITS.headerChars).exactOptional(),
  tier: z.enum(TIERS),
});

const messagesSchema = z.strictObject({
  classifier: z
    .discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("workers_ai"), model: modelSchema }),
      z.strictObject({ kind: z.literal("openai"), ...remoteSchema }),
      z.strictObject({ kind: z.literal("anthropic"), ...remoteSchema }),
      z.strictObject({ kind: z.literal("agent") }),
    ])
    .nullish(),
  digest: z
    .array(
      boundedTextSchema(LIMITS.hoursChars).regex(
        /^([01]\d|2[0-3]):[0-5]\d$/,
        "a time such as 08:00",
      ),
    )
    .max(MAX_DIGESTS_PER_DAY)
    .nullish(),
  owners: z
    .array(
      boundedTextSchema(LIMITS.actorIdChars).refine((id) => checkActorId(id, "").ok, "a member id"),
    )
    .min(1)
    .max(64)
    .nullish(),
  policy: boundedTextSchema(SOURCE_LIMITS.policyChars)
    .refine((text) => text.trim() !== "", "a text")
    .nullish(),
  rules: classifierRulesSchema.nullish(),
  examples: z.array(exampleSchema).max(SOURCE_LIMITS.examples).nullish(),
});
export type MessagesConfig = z.output<typeof messagesSchema>;

const MESSAGES_PATH = "config.messages";
const HINT =
  'Write messages: {classifier: {kind, model}, digest: ["08:00"], owners: [id], policy, rules}.';

/** The part of `messages` that may hold secrets. */
export const getClassifierPart = ({ classifier }: JsonMap): JsonMap =>
  classifier === undefined ? {} : { classifier };

/**
 * @param value with its secrets filled in
 * @param isComplete whether all secrets below the key are set: else its errors are not reported
 */
export function checkMessages(
  value: JsonMap,
  isComplete: (key: string) => boolean,
): Outcome<MessagesConfig> {
  const read = messagesSchema.safeParse(value);
  if (read.success) return ok(read.data);
  const found = read.error.issues.find(({ path: [key] }) => isComplete(String(key)));
  if (!found) return ok({});
  const issue = findDeepestIssue(found);
  const path = [MESSAGES_PATH, ...issue.path.map(String)].join(".");
  return refuse("bad_field", `${path}: ${issue.message}`, getLengthHint(issue) ?? HINT, { path });
}

/** Returns `messages` unchanged; undefined where the block has none. `checkMessages` checks its keys. */
export function readMessages(value: Json | undefined): Outcome<JsonMap | undefined> {
  if (value === undefined || value === null) return ok(undefined);
  return isMap(value)
    ? ok(value)
    : refuse("bad_field", `${MESSAGES_PATH}: not a map`, HINT, { path: MESSAGES_PATH });
}
