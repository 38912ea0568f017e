/** Reads the readings of a request: one, or a list. */
import * as z from "zod";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { Json } from "../../mess/json.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { ok } from "../../mess/result.ts";
import { parseTime } from "../webhook/read-time.ts";
import { seriesNameSchema } from "./config.ts";

const MAX_READINGS = 1_000;
const MAX_UNIT_CHARS = 20;
const MAX_TIME_CHARS = 64;

const readingSchema = z.object({
  series: seriesNameSchema,
  value: z.number(),
  unit: boundedTextSchema(MAX_UNIT_CHARS)
    .regex(/^\P{Cc}*$/u)
    .nullish(),
  /** ISO 8601, or seconds or milliseconds since 1970. */
  at: z
    .union([z.number(), boundedTextSchema(MAX_TIME_CHARS)])
    .refine((at) => parseTime(String(at)) !== undefined, "not a time")
    .nullish(),
});

export interface SensorReading {
  series: string;
  value: number;
  unit?: string;
  /** Milliseconds since 1970. */
  at?: number;
}

const SHAPE_HINT = 'Send {"series": "cellar.water", "value": 2.5}, or a list of such readings.';

/** In the order of their times; those without one are from now. */
export function readReadings(json: Json | undefined, now: number): Outcome<SensorReading[]> {
  const list = Array.isArray(json) ? json : [json];
  if (list.length > MAX_READINGS)
    return refuse(
      "too_large",
      `more than ${MAX_READINGS} readings in one request`,
      "Send them in several requests.",
    );
  const read = z.array(readingSchema).safeParse(list);
  if (!read.success) {
    const { path, message } = read.error.issues[0]!;
    const at = (Array.isArray(json) ? path : path.slice(1)).join(".");
    return refuse("bad_field", `${at || "body"}: ${message}`, SHAPE_HINT, { path: at || "body" });
  }
  const readings = read.data.map(({ series, value, unit, at }): SensorReading => {
    const time = at === undefined || at === null ? undefined : parseTime(String(at));
    return {
      series,
      value,
      ...(unit ? { unit } : {}),
      ...(time === undefined ? {} : { at: time }),
    };
  });
  return ok(readings.toSorted((a, b) => (a.at ?? now) - (b.at ?? now)));
}
