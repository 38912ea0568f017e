/** The messages that a sensor's events make. */
import { defined } from "../../mess/defined.ts";
import { writeDuration } from "../../mess/durations.ts";
import { toOneLine } from "../../mess/one-line.ts";
import type { SeriesEvent } from "../../mess/sources/sensor-series.ts";
import { writeTime } from "../../mess/times.ts";
import type { ParsedMessage } from "../source-kind.ts";
import type { SeriesSettings } from "./config.ts";

export interface SensorEvent {
  series: string;
  settings: SeriesSettings;
  unit?: string;
  event: SeriesEvent;
}

const DEFAULT_URGENCY = 2;
/** Of the message that everything is normal again. */
const BACK_URGENCY = 1;

export function buildSensorMessage(
  source: string,
  { series, settings, unit, event }: SensorEvent,
): ParsedMessage {
  const { text, urgency = DEFAULT_URGENCY } = settings;
  const said = describe(series, settings, unit, event);
  const isAlarm = event.type === "crossed";
  const own = isAlarm ? text : undefined;
  const subject = own === undefined ? said : toOneLine(own.split("\n", 1)[0]!);
  const time = writeTime(event.at, "UTC");
  const value = "value" in event ? event.value : undefined;
  const record = { series, ...event, ...defined({ unit }), at: time, subject };
  return {
    external_id: `${series} ${event.type} ${event.at}`,
    sender: series,
    recipient: source,
    subject,
    body: [...(own === undefined ? [] : [own, ""]), `${said}.`, `Time: ${time}`].join("\n"),
    timestamp: event.at,
    headers: [
      ["Series", series],
      ["Event", event.type],
      ...(value === undefined ? [] : [["Value", String(value)] as [string, string]]),
      ...(unit === undefined ? [] : [["Unit", unit] as [string, string]]),
    ],
    channel: series,
    urgency: isAlarm || event.type === "silent" ? urgency : BACK_URGENCY,
    attachments: [],
    raw: {
      mime: "application/json",
      bytes: new TextEncoder().encode(JSON.stringify(record, null, 2)),
    },
  };
}

function describe(
  series: string,
  { above, below }: SeriesSettings,
  unit: string | undefined,
  event: SeriesEvent,
): string {
  const write = (value: number): string => `${value}${unit === undefined ? "" : ` ${unit}`}`;
  if (event.type === "silent") {
    const seconds = Math.floor((event.at - event.since) / 1_000);
    return `${series}: silent, no reading for ${writeDuration(seconds)}`;
  }
  if (event.type === "back") return `${series}: back to normal, ${write(event.value)}`;
  if (event.type === "resumed") return `${series}: reports again, ${write(event.value)}`;
  const limit = event.level === "above" ? above : below;
  const past = limit === undefined ? "" : `, ${event.level} ${write(limit)}`;
  return `${series}: ${write(event.value)}${past}`;
}
