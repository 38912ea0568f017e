/** Checks docs/protocol.md against the code: its examples parse, and its tables and diagram match. */
import { describe, expect, it } from "vitest";
import { ERRORS } from "../../../src/mess/errors.ts";
import { isMap, type JsonMap } from "../../../src/mess/json.ts";
import { LIMITS } from "../../../src/mess/limits.ts";
import { readThread } from "../../../src/mess/messe-af/read.ts";
import { writeThreadYaml } from "../../../src/mess/messe-af/write.ts";
import { isFinal, getPartition, type Status, STATUSES } from "../../../src/mess/status.ts";
import { EXCHANGE_TRANSITIONS, TRANSITIONS } from "../../../src/mess/thread/transitions.ts";
import { readBlocks } from "../../../src/mess/wire/message.ts";
import { parseMessages } from "../../../src/mess/wire/parse.ts";
import { readDocuments } from "../../../src/mess/wire/syntax/read-yaml.ts";
import { MESSAGE_TYPES, type MessageType, PAYLOADS } from "../../../src/mess/wire/schema.ts";
import {
  listCodes,
  listFencesOf,
  readPage,
  getSection,
  parseTables,
} from "../../support/markdown.ts";

const PAGE = readPage("docs/protocol.md");
const getTable = (heading: string, index = 0): string[][] =>
  parseTables(getSection(PAGE, heading))[index]!;

/** The first document of a text, parsed. */
function parseDocument(text: string): JsonMap {
  const read = readDocuments(text);
  if (!read.ok || !isMap(read.value[0]?.value)) throw new Error(`not a YAML map: ${text}`);
  return read.value[0].value;
}

const blocks = listFencesOf(PAGE, "yaml").map((text) => {
  const document = parseDocument(text);
  const mess = (Array.isArray(document["MESS"]) ? document["MESS"] : []) as JsonMap[];
  const isAck = mess.some((item) => "ack" in item);
  const kind =
    "error" in document ? "error" : "requestor" in document ? "file" : isAck ? "ack" : "message";
  return { kind, text, document, mess };
});
const listBlocksOfKind = (kind: string) =>
  blocks
    .filter((block) => block.kind === kind)
    .map((block) => [block.text.split("\n").slice(0, 3).join(" "), block] as const);

describe("examples of docs/protocol.md", () => {
  it.each(listBlocksOfKind("message"))(
    "the message %s of docs/protocol.md is valid",
    (_name, { text }) => {
      expect(parseMessages(text)).toMatchObject({ ok: true });
    },
  );

  it.each(listBlocksOfKind("ack"))("the ack %s of docs/protocol.md is valid", (_name, { mess }) => {
    expect(readBlocks(mess)).toHaveLength(mess.length);
  });

  it.each(listBlocksOfKind("file"))(
    "the thread file %s of docs/protocol.md is valid",
    (_name, { text }) => {
      expect(readThread([{ name: "", text }])).toMatchObject({
        ok: true,
        value: { differences: [] },
      });
    },
  );

  it.each(listBlocksOfKind("error"))(
    "the error %s of docs/protocol.md has a code that exists",
    (_name, { document }) => {
      expect(Object.keys(ERRORS)).toContain((document["error"] as JsonMap)["code"]);
    },
  );

  it("the JSON examples of docs/protocol.md are valid JSON", () => {
    for (const text of listFencesOf(PAGE, "json"))
      expect(parseMessages(text)).toMatchObject({ ok: true });
  });

  it("docs/protocol.md shows messages, acks, files and errors", () => {
    for (const kind of ["message", "ack", "file", "error"])
      expect(listBlocksOfKind(kind).length, kind).toBeGreaterThan(0);
  });
});

describe("examples/thread.messe-af.yaml", () => {
  it("examples/thread.messe-af.yaml is read without differences and written with the same bytes", () => {
    const text = readPage("examples/thread.messe-af.yaml");

    const read = readThread([{ name: "", text }]);

    expect(read).toMatchObject({ ok: true, value: { differences: [] } });
    expect(read.ok && writeThreadYaml(read.value.thread)).toBe(text);
  });
});

const LENGTHS = [
  ["an intent, a question, an action, any other short text", "intentChars"],
  ["an id or a name", "nameChars"],
  ["a message, note or reason", "freeTextChars"],
  ["one text inside `json`, `structured` or a field of the sender's own", "jsonTextChars"],
  ["a key of a map", "keyChars"],
  [
    "a time, a duration, a time zone, a span of hours, a status, any fixed word, a version",
    "timeChars",
  ],
  ["a number that is sent as a text", "numberChars"],
  ["the id of a member or a household", "actorIdChars"],
  ["a cron expression", "cronChars"],
  ["a target: `{thread}/{message}`", "targetChars"],
  ["a `content://` address", "resourceChars"],
  ["a link in a message", "linkChars"],
  ["a MIME type", "mimeTypeChars"],
  ["the slug of a ref", "slugChars"],
  ["a sender, requestor or executor in a thread file from elsewhere", "senderChars"],
  ["the address of a webhook or another service", "urlChars"],
  ["an email address", "emailChars"],
  ["a phone number", "phoneChars"],
  ["the id that a channel gives a message", "handleChars"],
  ["the token of a link or a callback", "tokenChars"],
] as const;

/** Fields in the same row as the times. */
const SHORT_FIELDS = [
  "durationChars",
  "timeZoneChars",
  "hoursChars",
  "statusChars",
  "wordChars",
  "versionChars",
] as const;

describe("tables of docs/protocol.md", () => {
  it("docs/protocol.md lists every message type", () => {
    const listed = getTable("1.2 Message types").flatMap(([type = ""]) => listCodes(type));

    expect(listed.toSorted()).toEqual([...MESSAGE_TYPES].toSorted());
  });

  it("docs/protocol.md describes every status code", () => {
    const listed = getTable("4.2 Status codes").map(([code = ""]) => listCodes(code)[0]);

    expect(listed).toEqual([...STATUSES]);
  });

  it("docs/protocol.md gives the state of each status, and whether it is final", () => {
    const listed = getTable("9.1 Statuses").map(([status = "", state = "", final]) => [
      listCodes(status)[0],
      listCodes(state)[0],
      final === "yes",
    ]);

    expect(listed).toEqual(STATUSES.map((one) => [one, getPartition(one), isFinal(one)]));
  });

  it.each([
    ["the holder", 0, TRANSITIONS],
    ["the exchange", 1, EXCHANGE_TRANSITIONS],
  ] as const)("docs/protocol.md has the transitions of %s", (_who, index, transitions) => {
    const listed = getTable("9.3 Transitions", index).map(([from = "", to = ""]) => [
      listCodes(from)[0],
      listCodes(to).toSorted(),
    ]);

    const known = Object.entries(transitions).filter(([, to]) => to.length > 0);
    expect(listed).toEqual(
      STATUSES.flatMap((status) =>
        known.filter(([from]) => from === status).map(([from, to]) => [from, to.toSorted()]),
      ),
    );
  });

  it("docs/protocol.md lists every error code with its HTTP status", () => {
    const listed = getTable("15. Errors", 1).map(([code = "", status]) => [
      listCodes(code)[0]!,
      Number(status),
    ]);

    expect(Object.fromEntries(listed)).toEqual(ERRORS);
  });

  it.each([
    ["one body, inline data included", `${LIMITS.bodyBytes / 1024 ** 2} MB`],
    ["text of one body outside data URIs", `${LIMITS.textBytes / 1024} KB`],
    ["YAML documents, and messages, of one body", `${LIMITS.documents}`],
    ["blocks of one body", `${LIMITS.blocks}`],
    ["nesting of maps and lists", `${LIMITS.depth}`],
    ["tokens of a YAML text (JSON has no such limit)", LIMITS.yamlTokens.toLocaleString("en")],
    ["errors reported for one body", `${LIMITS.reportedErrors}`],
    ["one data URI", `${LIMITS.inlineDataBytes / 1024} KB`],
    ["data URI that stays in the message", `${LIMITS.attachAboveBytes / 1024} KB`],
    [
      "one message without its attachments, and one thread file",
      `${LIMITS.fileBytes / 1024 ** 2} MB`,
    ],
    ["one uploaded file", `${LIMITS.uploadBytes / 1024 ** 2} MB`],
    ["attachments of one message", `${LIMITS.attachmentsPerMessage}`],
    ["requests of one batch", `${LIMITS.requestsPerBatch}`],
    ["targets of one `re`, and of one `depends_on`", `${LIMITS.targetsPerMessage}`],
    ["messages of one thread", LIMITS.messagesPerThread.toLocaleString("en")],
    ["text of all messages of one thread", `${LIMITS.threadBytes / 1024 ** 2} MB`],
    ["items of a list in a message", `${LIMITS.listItems}`],
  ])("docs/protocol.md gives the limit of %s", (label, value) => {
    const row = getTable("14. Limits").find(([name]) => name === label);

    expect(row?.[1]).toBe(value);
  });

  it.each(LENGTHS)("docs/protocol.md gives the length of %s", (label, limit) => {
    const row = getTable("14. Limits", 1).find(([name]) => name === label);

    expect(row?.[1]).toBe(LIMITS[limit].toLocaleString("en"));
  });

  it("docs/protocol.md gives the length of every field that has one", () => {
    const lengths = Object.keys(LIMITS).filter((name) => name.endsWith("Chars"));

    const given = [...LENGTHS.map(([, limit]) => limit), ...SHORT_FIELDS];
    expect([...new Set(given)].toSorted()).toEqual(lengths.toSorted());
  });

  it("docs/protocol.md gives one length for all short fields", () => {
    expect(SHORT_FIELDS.filter((limit) => LIMITS[limit] !== LIMITS.timeChars)).toEqual([]);
  });
});

/** The sections that describe the fields of each type. */
const SECTIONS: Partial<Record<MessageType, readonly string[]>> = {
  request: ["3.2 Fields of a request"],
  status: ["4.1 Fields of a status", "4.2 Status codes"],
  response: ["5.1 Fields of a response"],
  reply: ["6.1 Fields"],
  answer: ["6.1 Fields"],
  cancel: ["7.1 Cancel"],
  ack: ["7.2 Ack"],
  query: ["7.3 Query"],
  suggestion: ["7.5 Suggestion"],
  followup: ["7.6 Followup"],
  review: ["7.7 Review"],
};
/** Fields that every message has, and fields that only the exchange writes. */
const COMMON = ["re", "id", "superseded_by"];

describe("field tables of docs/protocol.md", () => {
  it.each(Object.entries(SECTIONS))(
    "docs/protocol.md names every field of %s",
    (type, headings) => {
      const text = headings.map((heading) => getSection(PAGE, heading)).join("\n");
      const named = new Set(listCodes(text).flatMap((code) => code.split(/[.,{} ]+/)));

      const fields = Object.keys(PAYLOADS[type as MessageType].shape);
      expect(fields.filter((field) => !named.has(field) && !COMMON.includes(field))).toEqual([]);
    },
  );
});

/** A box of the diagram, or a status outside of one. */
interface Node {
  name: string;
  children: Node[];
  /** Arrows between its children, `a b`. */
  arrows: string[];
}

function readDiagram(text: string): Node {
  const root: Node = { name: "", children: [], arrows: [] };
  const open = [root];
  const getKnown = (parent: Node, name: string): void => {
    if (name !== "[*]" && parent.children.every((child) => child.name !== name))
      parent.children.push({ name, children: [], arrows: [] });
  };
  for (const line of text
    .split("\n")
    .slice(1)
    .map((one) => one.trim())) {
    const parent = open.at(-1)!;
    const [, box] = /^state (\w+) \{$/.exec(line) ?? [];
    const [, from, to] = /^(\S+) --> (\S+)(?: : .+)?$/.exec(line) ?? [];
    if (box !== undefined) {
      getKnown(parent, box);
      open.push(parent.children.find((child) => child.name === box)!);
    } else if (line === "}") open.pop();
    else if (from !== undefined && to !== undefined) {
      getKnown(parent, from);
      getKnown(parent, to);
      if (from !== "[*]" && to !== "[*]") parent.arrows.push(`${from} ${to}`);
    } else if (line !== "") getKnown(parent, line);
  }
  return root;
}

const listLeaves = ({ name, children }: Node): string[] =>
  children.length === 0 ? [name] : children.flatMap(listLeaves);

/** Every transition: by the holder, by the exchange, and by the requestor's cancel and reply. */
function listTransitions(): Set<string> {
  const open = STATUSES.filter((status) => !isFinal(status) && status !== "partial");
  const answered: Status[] = ["claimed", "in_progress", "waiting", "held", "retrying"];
  const pairs = STATUSES.flatMap((from) => [
    ...[...TRANSITIONS[from], ...EXCHANGE_TRANSITIONS[from]].map((to) => [from, to]),
    ...(open.includes(from) ? [[from, "cancelled"]] : []),
    ...(from === "needs_input" || from === "needs_confirmation"
      ? answered.map((to) => [from, to])
      : []),
  ]);
  return new Set([...pairs.map((pair) => pair.join(" ")), "needs_input pending"]);
}

describe("state diagram of docs/protocol.md", () => {
  const root = readDiagram(listFencesOf(PAGE, "mermaid")[0]!);
  const findBox = (name: string) => root.children.find((child) => child.name === name)!;

  it("the state diagram of docs/protocol.md has every status once", () => {
    expect(listLeaves(root).toSorted()).toEqual([...STATUSES].toSorted());
  });

  it.each([
    ["outside of its boxes", root],
    ["in the box of active statuses", findBox("executing")],
  ])(
    "the state diagram of docs/protocol.md has an arrow for every transition, and no other, %s",
    (_where, box) => {
      const transitions = listTransitions();
      const expected = box.children.flatMap((from) =>
        box.children
          .filter((to) => to !== from)
          .filter((to) =>
            listLeaves(from).some((a) => listLeaves(to).some((b) => transitions.has(`${a} ${b}`))),
          )
          .map((to) => `${from.name} ${to.name}`),
      );

      expect(box.arrows.toSorted()).toEqual(expected.toSorted());
    },
  );

  it.each(["active", "asking"])(
    "the state diagram of docs/protocol.md lets the holder move freely inside %s",
    (name) => {
      const inside = listLeaves(
        findBox("executing").children.find((child) => child.name === name)!,
      );

      for (const from of inside)
        for (const to of inside) expect(TRANSITIONS[from as Status]).toContain(to);
    },
  );
});
