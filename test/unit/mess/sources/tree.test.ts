import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildSourceId, ID_BYTES } from "../../../../src/mess/sources/ids.ts";
import {
  parseMessageCommand,
  parseRegisterCommand,
  parseSourceCommand,
  parseDraftCommand,
} from "../../../../src/mess/sources/tree/commands.ts";
import {
  parseHeaders,
  parseMail,
  writeHeaderLines,
  writeMailbox,
} from "../../../../src/mess/sources/tree/header-lines.ts";
import {
  buildTreeNode,
  parseTreePath,
  TREE_PATHS,
  type TreeNodeType,
  writeTreePath,
} from "../../../../src/mess/sources/tree/paths.ts";
import { isSourceName, MESSAGE_MARKS } from "../../../../src/mess/sources/vocabulary.ts";

const types = fc.constantFrom(...(Object.keys(TREE_PATHS) as TreeNodeType[]));
const sourceNames = fc.stringMatching(/^[a-z][a-z0-9-]{0,31}$/).filter(isSourceName);
const ids = (prefix: "m" | "d") =>
  fc
    .tuple(
      fc.integer({ min: 1, max: 2 ** 31 }),
      fc.uint8Array({ minLength: ID_BYTES, maxLength: ID_BYTES }),
    )
    .map(([seq, bytes]) => buildSourceId(prefix, seq, bytes));
const nodes = fc.tuple(types, sourceNames, ids("m"), ids("d")).map(([type, source, m, d]) => ({
  type,
  source: TREE_PATHS[type].includes("{source}") ? source : "",
  id: TREE_PATHS[type].includes("{id}") ? (type.startsWith("draft") ? d : m) : "",
}));

const lines = fc.string({ unit: "binary", maxLength: 60 });
const getCode = (outcome: { ok: boolean; error?: { code: string } }) =>
  outcome.ok ? "ok" : outcome.error?.code;

describe("paths of the message tree", () => {
  it("a path that is written for a node is read as this node, and has no other spelling", () => {
    fc.assert(
      fc.property(nodes, (node) => {
        const path = writeTreePath(node);

        expect(parseTreePath(path)).toEqual(node);
        for (const other of [`${path}/`, path.toUpperCase(), `/${path}`, `${path}\n`, `${path}?`])
          expect(parseTreePath(other)).toBeUndefined();
      }),
    );
  });

  it("any path names nothing, or is the path of the node that it names", () => {
    const parts = fc.oneof(
      fc.constantFrom("msg", "mail", "outbox", "new", "..", ".", "", "%2e%2e", "mail%2foutbox"),
      fc.constantFrom("headers", "body", "ctl", "m_0000000000001", "d_0000000000001", "sources"),
      lines,
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 6 }), (segments) => {
        const path = `/msg/${segments.join("/")}`;
        const node = parseTreePath(path);

        expect(node === undefined ? path : writeTreePath(node)).toBe(path);
      }),
    );
  });

  it.each([
    ["message", "mail", "d_0000000000001"],
    ["draft", "mail", "m_0000000000001"],
    ["source", "outbox", ""],
    ["source", "..", ""],
    ["source", "a/b", ""],
    ["message", "mail", "m_000000000000"],
    ["message", "mail", `m_${"0".repeat(5_000)}1`],
    ["sources", "mail", ""],
    ["sourceStatus", "mail", "m_0000000000001"],
  ] as const)("no node is %s of %j with the id %j", (type, source, id) => {
    expect(buildTreeNode(type, source, id)).toBeUndefined();
  });
});

describe("commands of the message tree", () => {
  it("a body of a reply comes through as it is written, whatever it contains", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (body) => {
        const parsed = parseMessageCommand(`reply ${body}\n`);

        expect(parsed).toEqual({
          ok: true,
          value: { type: "reply", body: body.startsWith("\n") ? body.slice(1) : body },
        });
      }),
    );
  });

  it("no text that is not exactly a command is one", () => {
    fc.assert(
      fc.property(lines, fc.constantFrom("archive", "delete", "flag"), (text, verb) => {
        fc.pre(text !== "" && text !== "\n");

        expect(parseMessageCommand(verb + text).ok).toBe(
          ["reply ", "forward "].some((start) => (verb + text).startsWith(start)),
        );
      }),
    );
  });

  it("one write is one command", () => {
    for (const text of ["send\ndiscard", "send\n\n", "send now", " send", "SEND", "approve"])
      expect(getCode(parseDraftCommand(text)), text).toBe("bad_field");
    for (const text of ["connect\ndisconnect", "remove", "connect\r"])
      expect(getCode(parseSourceCommand(text)), text).toBe("bad_field");
    for (const text of ["archive\ndelete", "flag all", "approve", "send", "reply"])
      expect(getCode(parseMessageCommand(text)) === "ok", text).toBe(text === "reply");
  });

  it.each(["send", "send\n"])("%j is a command for a draft", (text) => {
    expect(parseDraftCommand(text)).toEqual({ ok: true, value: "send" });
  });

  it.each(MESSAGE_MARKS)("%s marks a message", (mark) => {
    expect(parseMessageCommand(`${mark}\n`)).toEqual({ ok: true, value: { type: "mark", mark } });
  });

  it("a message is forwarded to plain addresses, with words on the lines below", () => {
    expect(parseMessageCommand("forward ann@x.test, ben@x.test\nPlease look.\nThanks\n")).toEqual({
      ok: true,
      value: { type: "forward", to: ["ann@x.test", "ben@x.test"], body: "Please look.\nThanks" },
    });
    for (const to of ["", "Ann <ann@x.test>", "ann@x.test,", "ann@x.test ben@x.test"])
      expect(getCode(parseMessageCommand(`forward ${to}`)), to).toBe("bad_field");
  });

  it("a source is registered with settings in the line and in YAML below", () => {
    const text = 'register webhook alerts url=https://x.test/h title="The alerts" n=5 zip="01"\n';

    expect(parseRegisterCommand(`${text}map:\n  sender: alert.host\n`)).toEqual({
      ok: true,
      value: {
        name: "alerts",
        settings: {
          kind: "webhook",
          url: "https://x.test/h",
          title: "The alerts",
          n: 5,
          zip: "01",
          map: { sender: "alert.host" },
        },
      },
    });
  });

  it.each([
    "register",
    "register webhook",
    "register webhook Alerts",
    "register webhook a b",
    "register webhook a b=",
    'register webhook a b="c',
    "register webhook a b=1 b=2",
    "register webhook a kind=email",
    "register webhook a b=1\nb: 2",
    "register webhook a\nkind: email",
    "register webhook __proto__",
    "register webhook a __proto__=1",
    `register webhook a ${"b=1 ".repeat(100_000)}`,
    "unregister webhook a",
  ])("refuses %.40j", (text) => {
    expect(getCode(parseRegisterCommand(text))).toBe("bad_field");
  });

  it("refuses settings that are no map", () => {
    for (const body of ["- 1", "text", "a: 1\n---\nb: 2"])
      expect(getCode(parseRegisterCommand(`register webhook a\n${body}`)), body).toBe("bad_shape");
  });
});

describe("header lines of the message tree", () => {
  it("a header is one line, whatever strangers write into it", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(lines, lines)), (headers) => {
        const written = writeHeaderLines(headers);

        for (const line of written.split(/[\r\n\u0085\u2028\u2029]/).slice(0, -1))
          expect(line).toMatch(/^[!-9;-~]+: /);
        expect(written.split("\n").length - 1).toBeLessThanOrEqual(headers.length);
      }),
    );
  });

  it("a sender's name cannot look like another address", () => {
    expect(writeMailbox("eve@x.test", 'bank@x.test> "')).toBe('"bank@x.test> \\"" <eve@x.test>');
    expect(writeMailbox("ann@x.test", "Ann O'Hara")).toBe("Ann O'Hara <ann@x.test>");
    expect(writeMailbox("ann@x.test", undefined)).toBe("ann@x.test");
  });

  it("a mail has headers, an empty line and a body", () => {
    expect(parseMail("to: a@x.test,b@x.test\nSubject: Hi: you\n\nBody\n\nTo: c@x.test")).toEqual({
      ok: true,
      value: { to: ["a@x.test", "b@x.test"], subject: "Hi: you", body: "Body\n\nTo: c@x.test" },
    });
    expect(parseMail("\nBody")).toEqual({ ok: true, value: { body: "Body" } });
    for (const text of ["Body", "To: a@x.test", "To: a@x.test\nBody"])
      expect(getCode(parseMail(text)), text).toBe("bad_field");
  });

  it.each([
    "Bcc: eve@x.test",
    "To: a@x.test\nTo: eve@x.test",
    "To: a@x.test\n eve@x.test",
    "To: A <a@x.test>",
    "To",
    ": x",
  ])("refuses the headers %j", (text) => {
    expect(getCode(parseHeaders(text))).toBe("bad_field");
  });

  it("headers can be written back as they were read", () => {
    const text = "To: a@x.test\nIn-Reply-To: m_1\nX-Mess-State: draft\nX-Mess-Revision: 2\n";

    expect(parseHeaders(text)).toEqual({ ok: true, value: { to: ["a@x.test"], message: "m_1" } });
  });
});
