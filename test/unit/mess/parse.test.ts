import { describe, expect, it } from "vitest";
import { readBlocks, messageToMess } from "../../../src/mess/wire/message.ts";
import { type ParseOptions, parseMessages } from "../../../src/mess/wire/parse.ts";
import type { Message } from "../../../src/mess/wire/schema.ts";

const parse = (text: string, options: ParseOptions = {}): Message[] => {
  const parsed = parseMessages(text, options);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
};
const sole = <T>(list: readonly T[]): T => {
  const [one] = list;
  if (one === undefined || list.length > 1) throw new Error(`${list.length} instead of one`);
  return one;
};
const only = (text: string, options: ParseOptions = {}) => {
  const { re, blocks } = sole(parse(text, options));
  return { re, ...sole(blocks) };
};
const refusal = (text: string, options: ParseOptions = {}) => {
  const parsed = parseMessages(text, options);
  return parsed.ok ? { messages: parsed.value } : parsed.error;
};

describe("a request (decision 52)", () => {
  it.each([
    "is the hall lamp on",
    '"is the hall lamp on"',
    "intent: is the hall lamp on",
    "request: is the hall lamp on",
    "request: {intent: is the hall lamp on}",
    "- request: is the hall lamp on",
    "- is the hall lamp on",
    "- request:\n  intent: is the hall lamp on",
    "MESS: is the hall lamp on",
    "MESS: {request: {intent: is the hall lamp on}}",
    "MESS:\n  - request:\n      intent: is the hall lamp on",
    "MESS:\n- intent: is the hall lamp on",
    "MESS:\nrequest:\n  intent: is the hall lamp on",
    "mess:\n- Request: is the hall lamp on",
    '{"MESS": [{"request": {"intent": "is the hall lamp on"}}]}',
    '[{"request": {"intent": "is the hall lamp on"}}]',
    '{"intent": "is the hall lamp on"}',
    "from: me\nreceived: 2031-01-01T00:00:00Z\nchannel: mcp\nMESS: [{request: is the hall lamp on}]",
    "---\n# nothing here\n---\nintent: is the hall lamp on\n...\n",
  ])("may be written %j", (text) => {
    expect(parse(text)).toEqual([
      { blocks: [{ type: "request", body: { intent: "is the hall lamp on" } }] },
    ]);
  });

  it("may be a sentence with a colon", () => {
    expect(only("please look: is the lamp on?").body).toEqual({
      intent: "please look: is the lamp on?",
    });
  });

  it("is a message of its own, beside others of the same document", () => {
    const messages = parse(
      "MESS:\n- request: {id: a, intent: one}\n- cancel: {re: b}\n- request: two\n- query: status",
    );
    expect(messages.map(({ re, blocks }) => [re, blocks.map(({ type }) => type)])).toEqual([
      [undefined, ["request"]],
      ["b", ["cancel"]],
      [undefined, ["request"]],
      [undefined, ["query"]],
    ]);
  });

  it.each(["last", "all", "Exchange", "system"])("may not be called %s (decision 51)", (id) => {
    expect(refusal(`request: {intent: x, id: ${id}}`)).toMatchObject({
      code: "reserved_id",
      path: "request.id",
    });
  });
});

describe("shorthand", () => {
  it.each<[string, string, object]>([
    ["status: Claimed", "status", { code: "claimed" }],
    ["status: in-progress", "status", { code: "in_progress" }],
    ["response: it is on", "response", { content: ["it is on"] }],
    [
      "response: [it is on, {confirmation: yes}]",
      "response",
      { content: ["it is on", { confirmation: true }] },
    ],
    [
      "response: {content: {image: https://pics.example/a.png}}",
      "response",
      { content: [{ image: "https://pics.example/a.png" }] },
    ],
    ["reply: the left one", "reply", { answers: "the left one" }],
    ["reply: true", "reply", { confirm: true }],
    ["reply: {confirm: No, answers: ~}", "reply", { confirm: false }],
    ["answer: 3", "answer", { value: 3 }],
    ["answer: {value: null}", "answer", { value: null }],
    ["cancel: {}", "cancel", {}],
    ["followup: and the cellar?", "followup", { message: "and the cellar?" }],
    [
      "followup: [{image: https://pics.example/a.png}]",
      "followup",
      { context: [{ image: "https://pics.example/a.png" }] },
    ],
    ["review: 4", "review", { rating: 4 }],
    ["review: reject", "review", { rating: "reject" }],
    ["review: well done", "review", { feedback: "well done" }],
  ])("%s", (text, type, body) => {
    expect(only(`re: lamp\n${text}`)).toEqual({ re: "lamp", type, body });
    expect(only(`re: lamp\nMESS:\n- ${text}`)).toEqual({ re: "lamp", type, body });
  });

  it("of a cancel is what it cancels", () => {
    expect(only("cancel: lamp")).toEqual({ re: "lamp", type: "cancel", body: {} });
    expect(parse("- cancel: [lamp, door]").map(({ re }) => re)).toEqual(["lamp", "door"]);
  });

  it("of a query is its type", () => {
    expect(only("query: executors").body).toEqual({ type: "executors" });
  });
});

describe("the target", () => {
  it("inside a payload wins over that beside it and that of the document (decision 1)", () => {
    const messages = parse(
      "re: outer\nMESS:\n- status: claimed\n- {re: beside, status: claimed}\n- {re: beside, status: {re: inner, code: claimed}}",
    );
    expect(messages.map(({ re }) => re)).toEqual(["outer", "beside", "inner"]);
  });

  it("is taken out of the payload, and payloads of one thread are one message", () => {
    const messages = parse(
      "- status: {re: lamp, code: completed}\n- status: {re: door, code: claimed}\n- response: {re: lamp, content: on}",
    );
    expect(messages).toEqual([
      {
        re: "lamp",
        blocks: [
          { type: "status", body: { code: "completed" } },
          { type: "response", body: { content: ["on"] } },
        ],
      },
      { re: "door", blocks: [{ type: "status", body: { code: "claimed" } }] },
    ]);
  });

  it("may be several threads, each of which gets the message (decision 2)", () => {
    const messages = parse("re: [lamp, door, lamp]\nMESS: [{cancel: {reason: moved out}}]");
    expect(messages).toEqual(
      ["lamp", "door"].map((re) => ({
        re,
        blocks: [{ type: "cancel", body: { reason: "moved out" } }],
      })),
    );
  });

  it("of a suggestion is the first of the related requests, which it keeps", () => {
    expect(only("suggestion: {type: merge, re: [lamp, door]}")).toEqual({
      re: "lamp",
      type: "suggestion",
      body: { type: "merge", re: ["lamp", "door"] },
    });
    expect(only("re: lamp\nsuggestion: defer")).toEqual({
      re: "lamp",
      type: "suggestion",
      body: { type: "defer", re: ["lamp"] },
    });
  });

  it("may be implied by the way the message came", () => {
    expect(only("response: on", { target: "lamp" }).re).toBe("lamp");
    expect(only("response: {re: door, content: on}", { target: "lamp" }).re).toBe("door");
    expect(only("intent: look", { target: "lamp" }).re).toBeUndefined();
  });

  it("must be known", () => {
    expect(refusal("MESS:\n- response: on")).toMatchObject({
      code: "missing_target",
      path: "MESS[0].response",
      line: 2,
    });
    expect(refusal("re: not a ref\nstatus: claimed")).toMatchObject({
      code: "bad_ref",
      path: "re",
      line: 1,
    });
  });
});

describe("what senders may not say", () => {
  it("is who they are: executor and from are dropped (decision 35)", () => {
    expect(
      only("status: {re: lamp, code: claimed, executor: somebody, from: somebody}").body,
    ).toEqual({
      code: "claimed",
    });
    expect(only("from: x\nresponse: {re: lamp, content: on, executor: x, from: x}").body).toEqual({
      content: ["on"],
    });
  });

  it("is an acknowledgement", () => {
    expect(refusal("MESS: [{ack: {re: lamp, ref: 2031-01-01-001}}]")).toMatchObject({
      code: "wrong_role",
    });
  });

  it.each(["2.0.0", "0.9", "one", "[1]"])("is version %s (decision 53)", (v) => {
    expect(refusal(`MESS:\n- v: ${v}\n- request: look`)).toMatchObject({
      code: "unsupported_version",
      path: "MESS[0].v",
      line: 2,
    });
  });

  it.each<[string, string]>([
    ["1", "1"],
    ["1.1", "1.1"],
    ["v1.0.0", "1.0.0"],
    ['"1.2.3"', "1.2.3"],
  ])("but version %s is fine, on the list or on the document", (v, kept) => {
    expect(parse(`MESS:\n- v: ${v}\n- request: look`)[0]).toMatchObject({ v: kept });
    expect(parse(`v: ${v}\nMESS:\n- request: look\n`)[0]).toMatchObject({ v: kept });
    expect(parse(`v: ${v}\nrequest: look`)[0]).toMatchObject({ v: kept });
  });
});

describe("a status", () => {
  const body = (fields: string) => only(`status: {re: lamp, ${fields}}`).body;

  it("has an estimate where its eta is a duration (decision 39)", () => {
    expect(body("code: claimed, eta: 2h15m")).toEqual({ code: "claimed", estimate: "PT2H15M" });
    expect(body("code: claimed, eta: 2031-01-01T10:00:00Z")).toEqual({
      code: "claimed",
      eta: "2031-01-01T10:00:00Z",
    });
    expect(body("code: claimed, eta: 1h, estimate: 2h")).toEqual({
      code: "claimed",
      estimate: "PT2H",
    });
  });

  it("may ask by its message alone (decision 17)", () => {
    expect(body("code: needs_input, message: which lamp?")).toEqual({
      code: "needs_input",
      message: "which lamp?",
      questions: [{ id: "q1", field: "q1", question: "which lamp?" }],
    });
  });

  it.each([
    ["code: needs_input", "questions"],
    ["code: needs_confirmation", "action"],
    ["code: delegated", "delegated_to"],
    ["message: hello", "code"],
  ])("of %s lacks %s", (fields, missing) => {
    expect(refusal(`status: {re: lamp, ${fields}}`)).toMatchObject({
      code: "missing_field",
      path: `status.${missing}`,
    });
  });

  it("asks no two questions under one id", () => {
    expect(
      refusal(
        "status: {re: lamp, code: needs_input, questions: [{id: a, question: b?}, {field: a, question: c?}]}",
      ),
    ).toMatchObject({ code: "bad_field", path: "status.questions" });
  });
});

describe("an empty", () => {
  it.each([
    ["response: {}", "missing_field"],
    ["response: {content: []}", "missing_field"],
    ["reply: {}", "missing_field"],
    ["reply: {answers: [a]}", "bad_field"],
    ["answer: {}", "missing_field"],
    ["followup: {}", "missing_field"],
    ["review: {}", "missing_field"],
    ["suggestion: {}", "missing_field"],
    ["request: {}", "missing_field"],
    ["request: ''", "bad_field"],
    ["config: on", "bad_shape"],
  ])("%s is refused", (text, code) => {
    expect(refusal(`re: lamp\n${text}`)).toMatchObject({ code });
  });

  it.each(["", "# nothing", "MESS:", "MESS: []", "---\n---", "v: 1.0", "[]", "{}"])(
    "body %j is refused",
    (text) => {
      expect(refusal(text)).toMatchObject({ code: "empty_message" });
    },
  );
});

describe("a stored list", () => {
  it("is read with its acks, and without what cannot be read", () => {
    expect(
      readBlocks([
        { v: "1.0.0" },
        { ack: { re: "lamp", ref: "2031-01-01-001-lamp" } },
        { status: { code: "dreaming" } },
        { poem: { lines: 4 } },
        { response: { re: "lamp", content: ["on"] } },
      ]),
    ).toEqual([
      { type: "ack", body: { re: "lamp", ref: "2031-01-01-001-lamp" } },
      { type: "response", body: { content: ["on"] } },
    ]);
  });

  it("states the version first, and no target", () => {
    const message = sole(parse("v: 1.1.0\nre: lamp\nMESS: [{status: claimed}, {response: on}]"));
    expect(messageToMess(message)).toEqual([
      { v: "1.1.0" },
      { status: { code: "claimed" } },
      { response: { content: ["on"] } },
    ]);
  });
});
