/** Operations that map one small value to another: refs, names, times, durations, statuses. */
import { readDuration, writeDuration } from "../../../src/mess/durations.ts";
import type { Json, JsonMap } from "../../../src/mess/json.ts";
import { readBlocks } from "../../../src/mess/wire/message.ts";
import { isResource, isTarget } from "../../../src/mess/names.ts";
import {
  getAttachmentKind,
  buildAttachmentName as nameOf,
  getMessageKind,
  buildMessageName,
  parseThreadRef,
  findSenderId,
  toSlug,
  splitTarget,
  buildThreadRef as refOf,
} from "../../../src/mess/refs.ts";
import { isFinal, getPartition, readStatus } from "../../../src/mess/status.ts";
import { getDay, readTime, writeTime } from "../../../src/mess/times.ts";
import type { Call } from "../check.ts";
import { toJson } from "./result-json.ts";

export function buildThreadRef({ when }: Call): Json {
  const { day: on, serial, id } = when as { day: string; serial: number; id?: string };
  return refOf(on, serial, id);
}

export const readRef = ({ when }: Call): Json => toJson(parseThreadRef(when as string));
export const buildSlug = ({ when }: Call): Json => toSlug(when as string);

export function buildMessageRef({ when }: Call): Json {
  const { serial, MESS } = when as { serial: number; MESS: JsonMap[] };
  const blocks = readBlocks(MESS);
  return buildMessageName(getMessageKind(blocks), serial, findSenderId(blocks));
}

export const parseTarget = ({ when }: Call): Json =>
  isTarget(when as string) ? toJson(splitTarget(when as string)) : null;

export function buildAttachmentName({ when }: Call): Json {
  const { serial, name, mime, taken } = when as {
    serial: number;
    name?: string;
    mime: string;
    taken?: string[];
  };
  return nameOf(
    serial,
    getAttachmentKind(mime),
    name,
    mime,
    (one) => taken?.includes(one) ?? false,
  );
}

export const isContentUri = ({ when }: Call): Json => isResource(when as string);

export function parseDuration({ when }: Call): Json {
  const seconds = readDuration(when as string);
  return seconds === undefined ? null : { seconds, written: writeDuration(seconds) };
}

export function time({ given, when }: Call): Json {
  const zone = (given.zone as string | undefined) ?? "UTC";
  const instant = readTime(when as string, zone);
  return instant === undefined
    ? null
    : { utc: new Date(instant).toISOString(), written: writeTime(instant, zone) };
}

export const computeDay = ({ given, when }: Call): Json =>
  getDay(Date.parse(when as string), given.zone as string);

export function parseStatus({ when }: Call): Json {
  const read = readStatus(when as string);
  return read === undefined
    ? null
    : { status: read, partition: getPartition(read), final: isFinal(read) };
}
