/** The state of a sensor source between requests: JSON that is stored with its messages. */
import * as z from "zod";
import type { Json } from "../../mess/json.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { createSeries, type SeriesState } from "../../mess/sources/sensor-series.ts";
import type { SensorSettings } from "./config.ts";

/** More than a sender repeats within the time in which its signature is valid. */
const MAX_REQUEST_IDS = 100;
/** As many as a header of a request has at most. */
const MAX_REQUEST_ID_CHARS = 8_192;

const levelSchema = z.enum(["above", "below"]);
const seriesStateSchema = z.object({
  level: z.union([levelSchema, z.literal("normal")]),
  arrived: z.number(),
  at: z.number().exactOptional(),
  value: z.number().exactOptional(),
  pending: z.object({ level: levelSchema, since: z.number() }).exactOptional(),
  silent: z.literal(true).exactOptional(),
});
const stateSchema = z.object({
  series: z.array(z.tuple([boundedTextSchema(LIMITS.nameChars), seriesStateSchema])),
  /** Ids of the newest requests, of which a repeated one is not counted again. */
  requests: z.array(boundedTextSchema(MAX_REQUEST_ID_CHARS)),
});

export interface SensorState {
  series: Map<string, SeriesState>;
  requests: string[];
}

/** The state of the series in the settings, of which some may be new. */
export function readState(
  kept: Json | undefined,
  { series }: SensorSettings,
  now: number,
): SensorState {
  const read = stateSchema.safeParse(kept);
  const known = new Map(read.success ? read.data.series : []);
  return {
    series: new Map(
      Object.keys(series).map((name) => [name, known.get(name) ?? createSeries(now)] as const),
    ),
    requests: read.success ? read.data.requests : [],
  };
}

export const writeState = ({ series, requests }: SensorState): Json =>
  ({ series: [...series], requests: requests.slice(-MAX_REQUEST_IDS) }) as unknown as Json;
