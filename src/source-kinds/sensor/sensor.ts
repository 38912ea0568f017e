/** Numeric series, such as temperatures or water levels, whose thresholds make messages. It only receives. */
import { decodeUtf8 } from "../../bytes.ts";
import type { InboundRequest } from "../../channels/inbound.ts";
import { readJsonValue } from "../../channels/shared/request-body.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { Json } from "../../mess/json.ts";
import { ok } from "../../mess/result.ts";
import {
  getNextCheck,
  passTime,
  type SeriesChange,
  takeReading,
} from "../../mess/sources/sensor-series.ts";
import type {
  KindContext,
  ParsedMessage,
  PollOutcome,
  ReceivedContent,
  SourceKind,
} from "../source-kind.ts";
import { buildWebhookAddress } from "../webhook/address.ts";
import { verifyRequest } from "../webhook/verify.ts";
import { type SensorSettings, sensorSettingsSchema, toRule } from "./config.ts";
import { buildSensorMessage } from "./messages.ts";
import { readReadings, type SensorReading } from "./readings.ts";
import { readState, type SensorState, writeState } from "./state.ts";

type Context = Omit<KindContext<unknown>, "settings"> & { settings: SensorSettings | null };

async function receiveReadings(
  { settings, source, now }: Context,
  request: InboundRequest,
  kept: Json | undefined,
): Promise<Outcome<ReceivedContent> | undefined> {
  const signing = settings && { secret: settings.secret, signature: "standard" as const };
  const id = await verifyRequest(signing, request, now);
  if (id === undefined || !settings) return undefined;
  const state = readState(kept, settings, now);
  if (state.requests.includes(id)) return ok({ messages: [] });
  const readings = readReadings(readJsonValue(decodeUtf8(request.body)) as Json | undefined, now);
  if (!readings.ok) return readings;
  const watched = readings.value.filter(({ series }) => state.series.has(series));
  const [unknown] = readings.value;
  if (watched.length === 0 && unknown) return refuseSeries(unknown, settings);
  state.requests.push(id);
  const messages = watched.flatMap(({ series, unit, ...reading }) =>
    change(source, settings, state, { series, ...(unit === undefined ? {} : { unit }) }, (one) =>
      takeReading(toRule(settings.series[series]!), one, reading, now),
    ),
  );
  return ok({ messages, state: writeState(state), pollAt: getPollTime(settings, state) });
}

/** Replaces the state of a series, and returns the messages of its events. */
function change(
  source: string,
  { series: all }: SensorSettings,
  { series }: SensorState,
  { series: name, unit }: Pick<SensorReading, "series" | "unit">,
  apply: (state: Parameters<typeof takeReading>[1]) => SeriesChange,
): ParsedMessage[] {
  const { state, events } = apply(series.get(name)!);
  series.set(name, state);
  return events.map((event) =>
    buildSensorMessage(source, {
      series: name,
      settings: all[name]!,
      ...(unit === undefined ? {} : { unit }),
      event,
    }),
  );
}

/** Finds silent series, and thresholds that are crossed for long enough without another reading. */
async function checkSeries(
  { settings, source, now }: KindContext<SensorSettings>,
  kept: Json | undefined,
): Promise<PollOutcome> {
  const state = readState(kept, settings, now);
  const messages = [...state.series.keys()].flatMap((series) =>
    change(source, settings, state, { series }, (one) =>
      passTime(toRule(settings.series[series]!), one, now),
    ),
  );
  return { ok: true, messages, state: writeState(state), pollAt: getPollTime(settings, state) };
}

/** When a series is silent, or past a threshold for long enough, if no reading comes before. */
function getPollTime({ series: all }: SensorSettings, { series }: SensorState): number | null {
  const times = [...series].flatMap(([name, one]) => getNextCheck(toRule(all[name]!), one) ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

const refuseSeries = ({ series }: SensorReading, settings: SensorSettings) =>
  refuse("bad_field", `series: ${series} is not watched`, "Name a series of the settings.", {
    path: "series",
    valid: Object.keys(settings.series),
  });

export const sensorKind: SourceKind<SensorSettings> = {
  settings: sensorSettingsSchema,
  secrets: ["secret"],
  explainCannotSend: () => "A sensor cannot be answered: it only reports readings.",
  getAddress: (_settings, place) => buildWebhookAddress(place),
  keepsState: true,
  receive: receiveReadings,
  poll: checkSeries,
  setsPollTime: true,
};
