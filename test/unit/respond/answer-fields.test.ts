/** The form that the page builds from a request's hints, and the answer from what a person fills in. */
import { describe, expect, test } from "vitest";

interface AnswerSpec {
  fields: { key: string; label: string; type: string; options?: string[] }[];
  kinds: { kind: string; label: string }[];
}
interface MessagesModule {
  toEntries: (answer: object, fields: object[]) => object[];
  mainActions: (state: object, hasAnswer: boolean, asksWords: boolean) => object;
  getAllowed: (state: object) => Map<string, { allowed: boolean }>;
}
const load = async <T>(folder: string, name: string) =>
  (await import(`../../../public/respond/${folder}/${name}.js`)) as unknown as T;
const { getSpec } = await load<{ getSpec: (request: object) => AnswerSpec }>(
  "answer",
  "answer-fields",
);
const { toEntries, mainActions, getAllowed } = await load<MessagesModule>("thread", "messages");

interface NestedField {
  fields?: NestedField[];
  items?: NestedField;
}
const countFields = (fields: readonly NestedField[]): number =>
  fields.reduce(
    (sum, { fields: inner = [], items }) =>
      sum + 1 + countFields(inner) + countFields(items?.fields ?? []),
    0,
  );

describe("response hints", () => {
  test.each([
    ["an object", (properties: object) => ({ type: "object", properties })],
    [
      "a list of objects",
      (properties: object) => ({ type: "array", items: { type: "object", properties } }),
    ],
    [
      "objects in an object",
      (properties: object) => ({
        type: "object",
        properties: { a: { type: "object", properties }, b: { type: "object", properties } },
      }),
    ],
  ])("a form has at most 40 fields, those of %s included", (_what, build) => {
    const properties = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, n) => [`f${n}`, { type: "string" }]),
    );

    const { fields } = getSpec({
      intent: "x",
      response_hint: [{ structured: { properties: { first: build(properties), last: {} } } }],
    });

    expect(countFields(fields as NestedField[])).toBe(40);
  });

  test.each(["__proto__", "constructor"])("a type called %s is a text field", (name) => {
    const properties = { a: { type: name }, b: { format: name }, c: name };

    const { fields } = getSpec({
      intent: "x",
      response_hint: [name, { structured: { properties } }],
    });

    expect(fields.map(({ key, type }) => [key, type])).toEqual([
      ["a", "text"],
      ["b", "text"],
      ["c", "text"],
    ]);
  });

  test.each([
    ["a kind by its name", ["image"], [], [{ kind: "image", label: "" }]],
    ["a kind with a label", [{ text: "proteins" }], [], [{ kind: "text", label: "proteins" }]],
    [
      "yes or no",
      ["confirmation"],
      [{ key: "confirmation", label: "x", type: "boolean", confirmation: true }],
      [],
    ],
    [
      "a choice by its options alone",
      [{ choice: ["a", "b"] }],
      [{ key: "choice", label: "", type: "choice", options: ["a", "b"] }],
      [],
    ],
    [
      "a question in the form of needs_input",
      [{ field: "area", question: "Which?", options: ["sink", "stove"] }],
      [{ key: "area", label: "Which?", type: "choice", options: ["sink", "stove"] }],
      [],
    ],
    [
      "fields of structured values",
      [{ structured: { eggs: "number", fresh: "boolean", note: "What else?" } }],
      [
        { key: "eggs", label: "eggs", type: "number" },
        { key: "fresh", label: "fresh", type: "boolean" },
        { key: "note", label: "What else?", type: "text" },
      ],
      [],
    ],
    [
      "a JSON Schema",
      [{ json: { properties: { n: { type: "integer", minimum: 1, title: "How many?" } } } }],
      [{ key: "n", label: "How many?", type: "integer", min: 1 }],
      [],
    ],
    ["no known kind", [42, null, { dance: true }, "sing"], [], []],
  ])("response hints ask for %s", (_what, response_hint, fields, kinds) => {
    expect(getSpec({ intent: "x", response_hint })).toEqual({ fields, kinds });
  });

  test("response hints with a duplicate key make one field", () => {
    const hints = [
      { number: { field: "n", question: "One?" } },
      { date: { field: "n", question: "Two?" } },
    ];
    expect(getSpec({ response_hint: hints }).fields).toMatchObject([{ key: "n", label: "One?" }]);
  });
});

test("an answer becomes typed entries: text, confirmation, values, files, location", () => {
  const answer = {
    text: " Two left ",
    notes: "",
    values: { confirmation: false, eggs: 2 },
    files: [{ id: "f1", kind: "image", name: "a.jpg", mime: "image/jpeg", size: 9 }],
    place: { name: "Shelf" },
  };

  expect(toEntries(answer, [{ key: "confirmation", confirmation: true }])).toEqual([
    { text: "Two left" },
    { confirmation: false },
    { structured: { eggs: 2 } },
    { image: { file: "local:f1", name: "a.jpg", mime: "image/jpeg", size: 9 } },
    { location: { name: "Shelf" } },
  ]);
});

describe("the large button", () => {
  const state = (status: string, executor: string | null, allowed: string[]) => ({
    envelope: { status, executor },
    me: { executor: "ann" },
    may: allowed.map((action) => ({ action, allowed: true })),
  });
  const all = [
    "claimed",
    "in_progress",
    "resume",
    "completed",
    "response",
    "followup",
    "needs_confirmation",
  ];

  test.each([
    [
      "claims an open task",
      state("pending", null, all),
      false,
      false,
      { primary: "claim", secondary: "completed" },
    ],
    [
      "leads to the form if the request has one",
      state("pending", null, all),
      false,
      true,
      { primary: "answer", secondary: "claim" },
    ],
    [
      "completes the holder's task",
      state("claimed", "ann", all),
      false,
      false,
      { primary: "completed", secondary: "in_progress" },
    ],
    [
      "resumes a paused task",
      state("held", "ann", all),
      false,
      false,
      { primary: "resume", secondary: "completed" },
    ],
    ["sends an answer", state("claimed", "ann", all), true, true, { primary: "completed" }],
    [
      "requests approval if that is needed first",
      state("claimed", "ann", ["needs_confirmation"]),
      false,
      false,
      { primary: "needs_confirmation" },
    ],
    [
      "does not request an approval again while one is pending",
      state("needs_confirmation", "ann", ["needs_confirmation", "in_progress"]),
      false,
      false,
      { primary: "in_progress" },
    ],
    [
      "sends a note if another member holds the task",
      state("claimed", "bob", ["followup"]),
      true,
      false,
      { primary: "followup" },
    ],
    ["is absent if no action is allowed", state("claimed", "bob", []), false, true, {}],
  ])("the large button %s", (_what, thread, hasAnswer, asksWords, expected) => {
    expect(JSON.parse(JSON.stringify(mainActions(thread, hasAnswer, asksWords)))).toEqual(expected);
  });

  test("the large button never resumes a thread that was not paused", () => {
    expect(getAllowed(state("claimed", "ann", all)).has("resume")).toBe(false);
  });
});
