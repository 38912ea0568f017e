/** Settings of a sensor source: which of its series are watched, and when they make a message. */
import * as z from "zod";
import { isWebhookSecret } from "../../auth/callbacks/webhook-signatures.ts";
import { secretSchema } from "../../channels/shared/config-fields.ts";
import { readDuration } from "../../mess/durations.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { SeriesRule } from "../../mess/sources/sensor-series.ts";
import { STANDARD_SECRET_HINT } from "../webhook/config.ts";

const MAX_SERIES = 100;
const MAX_NAME_CHARS = 64;
const MAX_TEXT_CHARS = 1_000;

export const seriesNameSchema = boundedTextSchema(MAX_NAME_CHARS).regex(
  /^[^\s\p{Cc}][^\p{Cc}]*$/u,
  "a name without line breaks, such as cellar.water",
);

const durationSchema = boundedTextSchema(LIMITS.durationChars).refine(
  (text) => (readDuration(text) ?? 0) > 0,
  { error: "not a duration", params: { hint: "Write for example 90s, 10m, 2h or 1d." } },
);

const seriesSchema = z
  .strictObject({
    above: z.number().exactOptional(),
    below: z.number().exactOptional(),
    hysteresis: z.number().min(0).exactOptional(),
    /** A threshold counts as crossed after this time. */
    for: durationSchema.exactOptional(),
    /** Without a reading for this time the series makes a message, too. */
    silent_after: durationSchema.exactOptional(),
    urgency: z.union([z.literal(1), z.literal(2), z.literal(3)]).exactOptional(),
    /** Text of the message; its first line is the subject. */
    text: boundedTextSchema(MAX_TEXT_CHARS).trim().min(1).exactOptional(),
  })
  .check(({ value, issues }) => {
    const { above, below, hysteresis = 0, silent_after: silentAfter } = value;
    const fail = (path: string, message: string, hint: string): void =>
      void issues.push({
        code: "custom",
        input: value,
        path: [path],
        message,
        params: { hint },
      });
    if (above === undefined && below === undefined && silentAfter === undefined)
      fail("above", "missing: the series would never make a message", THRESHOLD_HINT);
    if (above === undefined || below === undefined) return;
    if (below > above) fail("below", "greater than `above`", "Give a smaller number.");
    else if (hysteresis > above - below)
      fail("hysteresis", "greater than the range from `below` to `above`", "Give a smaller one.");
  });

const THRESHOLD_HINT = "Give above, below or silent_after.";

export const sensorSettingsSchema = z.object({
  /** Verifies requests. */
  secret: secretSchema.refine(isWebhookSecret, {
    error: "not a Standard Webhooks secret",
    params: { hint: STANDARD_SECRET_HINT },
  }),
  series: z
    .record(seriesNameSchema, seriesSchema)
    .refine((series) => Object.keys(series).length > 0, "no series: name at least one")
    .refine((series) => Object.keys(series).length <= MAX_SERIES, `more than ${MAX_SERIES} series`),
});
export type SensorSettings = z.output<typeof sensorSettingsSchema>;
export type SeriesSettings = SensorSettings["series"][string];

const toMilliseconds = (text: string): number => (readDuration(text) ?? 0) * 1_000;

export const toRule = ({
  above,
  below,
  hysteresis = 0,
  for: period,
  silent_after: silentAfter,
}: SeriesSettings): SeriesRule => ({
  ...(above === undefined ? {} : { above }),
  ...(below === undefined ? {} : { below }),
  hysteresis,
  forMs: period === undefined ? 0 : toMilliseconds(period),
  ...(silentAfter === undefined ? {} : { silentAfterMs: toMilliseconds(silentAfter) }),
});
