/** Parses what is written to the `ctl` files of the message tree. Pure. */
import { type Outcome, refuse } from "../../errors.ts";
import { isMap, type Json, type JsonMap } from "../../json.ts";
import { fail, ok } from "../../result.ts";
import { checkControls } from "../../wire/control-characters.ts";
import { refuseBody } from "../../wire/body-errors.ts";
import { readDocuments } from "../../wire/syntax/read-yaml.ts";
import { MESSAGE_MARKS, type MessageMark } from "../vocabulary.ts";
import { parseAddresses } from "./header-lines.ts";

export interface RegisterCommand {
  name: string;
  /** With the kind. */
  settings: JsonMap;
}
export const SOURCE_COMMANDS = ["connect", "disconnect", "idle"] as const;
export type SourceCommand = (typeof SOURCE_COMMANDS)[number];
export const DRAFT_COMMANDS = ["send", "discard"] as const;
export type DraftCommand = (typeof DRAFT_COMMANDS)[number];
export type MessageCommand =
  | { type: "reply"; body: string }
  | { type: "forward"; to: string[]; body: string }
  | { type: "delete" }
  | { type: "mark"; mark: MessageMark };

export const CTL_USAGE = {
  ctl: "register {kind} {name} key=value…\nSettings can also follow in YAML or JSON, from the second line on.\n",
  sourceCtl:
    "connect\ndisconnect\nidle\nidle looks for new messages often for some minutes, where the source has to look for them.\n",
  messageCtl: `reply {body}\nforward {address}, {address}…\n${MESSAGE_MARKS.join("\n")}\ndelete\nreply and forward write a draft, and ask an owner to approve it. Lines after the first one belong to the body.\n`,
  draftCtl: "send\ndiscard\nsend asks an owner to approve the draft. Nothing is sent before.\n",
  outboxNew:
    "Write a mail: header lines To, Subject and In-Reply-To (the id of a message of this source), an empty line, and the body.\n",
} as const;

const refuseCommand = (message: string, valid: readonly string[]) =>
  refuse("bad_field", message, `The commands are ${valid.join(", ")}. GET this path shows them.`, {
    valid,
  });

const findWord = <T extends string>(words: readonly T[], text: string): T | undefined =>
  words.find((word) => word === text);

/** Reads a command without arguments. One write is one command: a second line could hide another one. */
function parseWord<T extends string>(text: string, words: readonly T[]): Outcome<T> {
  const word = findWord(words, text.replace(/\n$/, ""));
  return word === undefined ? refuseCommand("the command is not known", words) : ok(word);
}

export const parseSourceCommand = (text: string): Outcome<SourceCommand> =>
  parseWord(text, SOURCE_COMMANDS);

export const parseDraftCommand = (text: string): Outcome<DraftCommand> =>
  parseWord(text, DRAFT_COMMANDS);

/** The first word, the rest of its line, and the lines after it. */
function splitCommand(text: string): { verb: string; argument: string; lines: string } {
  const end = text.indexOf("\n");
  const line = end === -1 ? text : text.slice(0, end);
  const space = line.indexOf(" ");
  return {
    verb: space === -1 ? line : line.slice(0, space),
    argument: space === -1 ? "" : line.slice(space + 1),
    lines: end === -1 ? "" : text.slice(end + 1),
  };
}

const MESSAGE_VERBS = ["reply", "forward", "delete", ...MESSAGE_MARKS] as const;

/** A body ends where the text ends, without the last line break. */
const trimEnd = (text: string): string => text.replace(/\n$/, "");

export function parseMessageCommand(text: string): Outcome<MessageCommand> {
  const { verb, argument, lines } = splitCommand(text);
  if (verb === "reply")
    return ok({ type: "reply", body: trimEnd([argument, lines].join("\n")).replace(/^\n/, "") });
  if (verb === "forward") {
    const to = parseAddresses(argument);
    return to.ok ? ok({ type: "forward", to: to.value, body: trimEnd(lines) }) : to;
  }
  const word = parseWord(text, MESSAGE_VERBS);
  if (!word.ok) return word;
  const mark = findWord(MESSAGE_MARKS, word.value);
  return ok(mark === undefined ? { type: "delete" } : { type: "mark", mark });
}

const REGISTER_HINT = "Write: register {kind} {name} key=value…";
const NAME_PATTERN = /^[a-z][a-z0-9_-]{0,31}$/;
/** Longer settings follow in YAML. */
const MAX_LINE_CHARS = 4_000;
/** A value with spaces is quoted; quotes keep a number a text. */
const SETTING_PATTERN = /^\s*([a-z][a-z0-9_]{0,63})=("[^"]*"|[^\s"]+)(?=\s|$)/;

export function parseRegisterCommand(text: string): Outcome<RegisterCommand> {
  const { verb, argument, lines } = splitCommand(text);
  if (verb !== "register") return refuseCommand("the command is not known", ["register"]);
  if (argument.length > MAX_LINE_CHARS)
    return refuse(
      "bad_field",
      `register: the line has more than ${MAX_LINE_CHARS} characters`,
      "Write the settings in YAML, from the second line on.",
    );
  const [, kind = "", name = "", rest = ""] =
    /^(\S{1,32}) (\S{1,32})(?: (.*))?$/.exec(argument) ?? [];
  if (!NAME_PATTERN.test(kind) || !NAME_PATTERN.test(name))
    return refuse("bad_field", "register: kind or name missing or not valid", REGISTER_HINT);
  const inline = parseSettings(rest);
  if (!inline.ok) return inline;
  const below = lines.trim() === "" ? ok({} satisfies JsonMap) : readSettings(lines);
  if (!below.ok) return below;
  const twice = ["kind", ...Object.keys(below.value)].find((key) =>
    Object.hasOwn(inline.value, key),
  );
  if (twice !== undefined || Object.hasOwn(below.value, "kind"))
    return refuseTwice(twice ?? "kind");
  return ok({ name, settings: { ...below.value, ...inline.value, kind } });
}

const refuseTwice = (key: string) =>
  refuse("bad_field", `register: ${key} is given twice`, "Give each setting once.", { path: key });

function parseSettings(text: string): Outcome<JsonMap> {
  const settings: JsonMap = {};
  let rest = text;
  while (rest.trim() !== "") {
    const [whole, key, written] = SETTING_PATTERN.exec(rest) ?? [];
    if (whole === undefined || key === undefined || written === undefined)
      return refuse("bad_field", "register: a setting is not written key=value", REGISTER_HINT);
    if (Object.hasOwn(settings, key)) return refuseTwice(key);
    settings[key] = readValue(written);
    rest = rest.slice(whole.length);
  }
  return ok(settings);
}

function readValue(written: string): Json {
  if (written.startsWith('"')) return written.slice(1, -1);
  if (written === "true" || written === "false") return written === "true";
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(written) ? Number(written) : written;
}

function readSettings(text: string): Outcome<JsonMap> {
  const documents = readDocuments(text);
  if (!documents.ok) return documents;
  const [document, ...others] = documents.value;
  if (!document || others.length > 0 || !isMap(document.value))
    return refuse("bad_shape", "the settings are not one map", "Write them as key: value.");
  const control = checkControls(document.value, []);
  return control ? fail(refuseBody([{ error: control, document }])) : ok(document.value);
}
