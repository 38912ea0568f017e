import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readThread } from "../../../../src/mess/messe-af/read.ts";
import { writeThreadFiles } from "../../../../src/mess/messe-af/write.ts";

const FIXTURES = fileURLToPath(new URL("../../../fixtures/messe-af/", import.meta.url));

/** The files of a fixture's directory. */
const readFixture = (path: string) =>
  readdirSync(FIXTURES + path).map((name) => ({
    name: `${path}/${name}`,
    text: readFileSync(`${FIXTURES}${path}/${name}`, "utf8"),
  }));

function read(files: { name: string; text: string }[]) {
  const outcome = readThread(files);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.value;
}

const HEAD = [
  "ref: 2026-07-01-001",
  "requestor: ada",
  "created: 2026-07-01T08:00:00Z",
  "intent: look",
];
const asked = "from: ada\nreceived: 2026-07-01T08:00:00Z\nMESS:\n  - request: {intent: look}\n";
/** A flat file with these lines in its envelope, and these messages after the request. */
const buildFlatFiles = (envelope: string[], ...messages: string[]) => [
  {
    name: "2026-07-01-001.messe-af.yaml",
    text: [[...HEAD, ...envelope].join("\n") + "\n", asked, ...messages].join("---\n"),
  },
];
const buildMessageText = (from: string, minute: number, mess: string, re = "2026-07-01-001") =>
  `from: ${from}\nreceived: 2026-07-01T08:${String(minute).padStart(2, "0")}:00Z\nre: ${re}\nMESS:\n  - ${mess}\n`;

describe("a v1 flat file", () => {
  const { thread, differences, documents } = read(readFixture("v1-flat"));

  it("a v1 flat file becomes a thread in normalized form, with targets moved out of the blocks and current statuses", () => {
    expect(thread.envelope).toMatchObject({
      status: "completed",
      executor: "noor",
      client_id: "barrel",
    });
    expect(thread.messages.map(({ re }) => re)).toEqual([
      undefined,
      ...Array(3).fill("2025-11-02-003"),
    ]);
    expect(thread.messages[2]).toEqual({
      from: "noor",
      received: "2025-11-02T09:20:00+01:00",
      re: "2025-11-02-003",
      MESS: [{ status: { code: "in_progress", message: "ladder is out" } }],
    });
  });

  it("a v1 flat file matches its messages, whose refs are added to its history", () => {
    expect(differences).toEqual([]);
    expect(thread.envelope.history.map(({ action, ref, note }) => [action, ref, note])).toEqual([
      ["created", undefined, undefined],
      ["claimed", "2025-11-02-003/claim-001", undefined],
      ["in_progress", "2025-11-02-003/status-002", "ladder is out"],
      ["completed", "2025-11-02-003/response-003", undefined],
    ]);
  });

  it("a v1 flat file keeps inline data, unknown keys and unknown types", () => {
    expect(thread.envelope.extra).toEqual({ house_rule: "gloves on" });
    expect(thread.messages[3]?.extra).toEqual({ weather: "drizzle" });
    expect(thread.messages[3]?.MESS.at(-1)).toEqual({ applause: { loud: "yes" } });
    expect(JSON.stringify(thread.messages[0])).toContain("data:image/png;base64,iVBORw0KGgo=");
    expect(documents[3]?.blocks.map(({ type }) => type)).toEqual(["status", "response"]);
  });

  it("a v1 flat file is written as v2, which reads the same", () => {
    const files = writeThreadFiles(thread);

    expect(files.map(({ name }) => name)).toEqual(["000-2025-11-02-003.messe-af.yaml"]);
    expect(read(files)).toMatchObject({ thread, differences: [] });
  });
});

describe("a v2 directory", () => {
  it("a v2 directory of another exchange is read unchanged, with references and acks", () => {
    const { thread, differences } = read(readFixture("v2-directory/2026-03-09-004-gutter"));

    expect(differences).toEqual([]);
    expect(thread.envelope).toMatchObject({ status: "in_progress", executor: "ladder-bot" });
    expect(thread.envelope.history.map(({ action }) => action)).toEqual([
      "created",
      "dispatched",
      "claimed",
      "needs_input",
      "replied",
      "in_progress",
    ]);
    expect(thread.messages).toHaveLength(9);
    const context = JSON.stringify(thread.messages[0]?.MESS);
    expect(context).toContain('{"file":"att-000-image-roof.jpg","mime":"image/jpeg","size":40312}');
    expect(context).toContain("content://2026-03-09-004/att-000-image-roof.jpg");
    expect(context).toContain("file:///home/me/plan.pdf");
  });

  it("a v2 directory with overflow is read in the order of the numbers, with full refs", () => {
    const files = readFixture("v2-overflow/2026-03-09-007");

    const { thread, differences } = read(files.toReversed());

    expect(thread.messages.map(({ re }) => re)).toEqual([
      undefined,
      "2026-03-09-007-bins",
      "2026-03-09-007-bins/claim-001",
    ]);
    expect(thread.envelope).toMatchObject({ status: "completed", executor: "pia" });
    expect(differences).toEqual([expect.stringMatching(/^executor: .*\bpia\b/)]);
  });

  it("a v2 directory is refused if a number is missing or occurs twice", () => {
    const whole = readFixture("v2-overflow/2026-03-09-007");
    const listWithout = (number: number) => whole.filter((_, index) => index !== number);

    for (const files of [listWithout(0), listWithout(1), [...whole, ...listWithout(0)]])
      expect(readThread(files)).toMatchObject({ ok: false, error: { code: "bad_thread_file" } });
  });
});

describe("messages against the envelope (decision 37)", () => {
  it("messages prevail over the envelope in status, holder, history and the request's fields", () => {
    const { thread, differences } = read(
      buildFlatFiles(
        [
          "requestor: mallory",
          "status: completed",
          "executor: mallory",
          "history:",
          "  - {action: created, at: 2026-07-01T08:00:00Z, by: ada}",
          "  - {action: claimed, at: 2026-07-01T08:05:00Z, by: mallory, ref: 2026-07-01-001/claim-001}",
          "  - {action: escalated, at: 2026-07-01T08:06:00Z, by: exchange}",
          "  - {action: completed, at: 2026-07-01T08:30:00Z, by: mallory}",
        ].filter((line) => !line.startsWith("requestor")),
        buildMessageText("ben", 5, "status: claimed"),
      ),
    );

    expect(thread.envelope).toMatchObject({ status: "claimed", executor: "ben", requestor: "ada" });
    expect(thread.envelope.history).toEqual([
      { action: "created", at: "2026-07-01T08:00:00Z", by: "ada" },
      { action: "claimed", at: "2026-07-01T08:05:00Z", by: "ben", ref: "2026-07-01-001/claim-001" },
      { action: "escalated", at: "2026-07-01T08:06:00Z", by: "exchange" },
    ]);
    expect(differences).toEqual([
      expect.stringMatching(/^executor: .*\bmallory\b.*\bben\b/),
      expect.stringMatching(/^status: .*\bcompleted\b.*\bclaimed\b/),
      expect.stringMatching(/^history\[1\]\.by: .*\bmallory\b.*\bben\b/),
      expect.stringMatching(/^history\[3\]: .*\bcompleted\b.*\bmallory\b/),
    ]);
  });

  it("rows of the exchange that messages do not show are kept from the envelope", () => {
    const { thread, differences } = read(readFixture("silent-exchange"));

    expect(differences).toEqual([]);
    expect(thread.envelope).toMatchObject({ status: "expired", executor: null });
    expect(thread.envelope.history.map(({ action }) => action)).toEqual([
      "created",
      "claimed",
      "released",
      "reminded",
      "claimed",
      "waiting",
      "expired",
    ]);
  });

  it.each([
    ["completed", "response: here it is", "completed"],
    ["declined", "status: declined", "declined"],
    ["completed", "status: declined", "pending"],
    ["failed", "response: here it is", "claimed"],
  ])(
    "a file with status %s after `%s` has the status %s, since messages prevail",
    (status, mess, shown) => {
      const { thread } = read(
        buildFlatFiles([`status: ${status}`], buildMessageText("ben", 5, mess)),
      );

      expect(thread.envelope.status).toBe(shown);
    },
  );

  it("messages after the end of a thread change nothing, and are reported", () => {
    const { thread, differences } = read(
      buildFlatFiles(
        [],
        buildMessageText("ben", 5, "status: completed"),
        buildMessageText("ben", 6, "status: in_progress"),
        buildMessageText("ada", 7, "cancel: {}"),
      ),
    );

    expect(thread.envelope).toMatchObject({ status: "completed", updated: "2026-07-01T08:07:00Z" });
    expect(differences).toEqual([expect.stringMatching(/\b4\b/), expect.stringMatching(/\b5\b/)]);
    expect(thread.messages).toHaveLength(4);
  });

  it("a file without an envelope is read from its messages", () => {
    const { thread, differences } = read([
      {
        name: "state=received/2026-07-01-001.messe-af",
        text: asked + "---\n" + buildMessageText("ben", 5, "status: claimed"),
      },
    ]);

    expect(thread.envelope).toMatchObject({
      ref: "2026-07-01-001",
      requestor: "ada",
      executor: "ben",
    });
    expect(differences).toEqual([expect.stringMatching(/\w/)]);
  });
});

describe("files of other software", () => {
  it("rows without refs get the refs of the messages in their order", () => {
    const { thread, differences } = read(
      buildFlatFiles(
        [
          "updated: 2026-07-01T10:08:00+02:00",
          "history:",
          "  - {action: created, at: 2026-07-01T08:00:00Z, by: ada}",
          "  - {action: claimed, at: 2026-07-01T08:05:00Z, by: ben}",
          "  - {action: held, at: 2026-07-01T08:06:00Z, by: ben, note: rain}",
          "  - {action: in_progress, at: 2026-07-01T08:07:00Z, by: ben}",
          "  - {action: held, at: 2026-07-01T08:08:00Z, by: ben, note: hail}",
        ],
        buildMessageText("ben", 5, "status: claimed"),
        buildMessageText("ben", 6, "status: held"),
        buildMessageText("ben", 7, "status: in_progress"),
        buildMessageText("ben", 8, "status: held"),
      ),
    );

    expect(differences).toEqual([]);
    expect(thread.envelope.updated).toBe("2026-07-01T10:08:00+02:00");
    expect(thread.envelope.history.slice(2)).toMatchObject([
      { ref: "2026-07-01-001/status-002", note: "rain" },
      { ref: "2026-07-01-001/status-003" },
      { ref: "2026-07-01-001/status-004", note: "hail" },
    ]);
  });

  it("blocks with separate targets become one document each (decision 1)", () => {
    const { thread } = read(
      buildFlatFiles(
        [],
        buildMessageText(
          "ben",
          5,
          "status: {code: needs_input, id: q, questions: [{id: a, question: which}]}",
        ),
        "from: ada\nreceived: 2026-07-01T08:06:00Z\nre: last\nMESS:\n" +
          "  - answer: {re: q, value: left}\n  - followup: {re: [2026-07-01-001], message: thanks}\n",
      ),
    );

    expect(thread.messages.slice(2)).toEqual([
      {
        from: "ada",
        received: "2026-07-01T08:06:00Z",
        re: "2026-07-01-001/question-001-q",
        MESS: [{ answer: { value: "left" } }],
      },
      {
        from: "ada",
        received: "2026-07-01T08:06:00Z",
        re: "2026-07-01-001",
        MESS: [{ followup: { message: "thanks" } }],
      },
    ]);
    expect(thread.envelope.status).toBe("pending");
  });

  it("a missing sender or time is taken from the neighboring messages", () => {
    const { thread } = read(
      buildFlatFiles(
        ["executor: ben"],
        "MESS:\n  - ack: {ref: 2026-07-01-001}\n",
        "MESS:\n  - status: claimed\n",
        "received: 2026-07-01T09:00:00Z\nMESS: {cancel: {reason: rain}}\n",
      ),
    );

    expect(thread.messages.map(({ from, received }) => [from, received])).toEqual([
      ["ada", "2026-07-01T08:00:00Z"],
      ["exchange", "2026-07-01T08:00:00Z"],
      ["ben", "2026-07-01T08:00:00Z"],
      ["ada", "2026-07-01T09:00:00Z"],
    ]);
    expect(thread.envelope.status).toBe("cancelled");
  });

  it("invalid values are reported and left out", () => {
    const { thread, differences } = read(
      buildFlatFiles([
        "status: dancing",
        "batch: nobody",
        "expires: soon",
        "history:",
        "  - {action: created}",
        "  - 7",
      ]),
    );

    expect(thread.envelope).toMatchObject({ status: "pending" });
    expect(thread.envelope).not.toHaveProperty("expires");
    expect(differences).toHaveLength(6);
  });

  it("blocks that the schema cannot read stay unchanged", () => {
    const { thread, documents } = read(
      buildFlatFiles([], buildMessageText("ben", 5, "status: {code: dancing, mood: [1, 2]}")),
    );

    expect(thread.messages[1]?.MESS).toEqual([{ status: { code: "dancing", mood: [1, 2] } }]);
    expect(documents[1]?.blocks).toEqual([]);
  });
});

describe("refused files", () => {
  it.each([
    ["that is empty", "", "bad_thread_file"],
    ["with an envelope alone", HEAD.join("\n").replace("intent: look", ""), "bad_thread_file"],
    ["with an invalid ref", `ref: ../up\n---\n${asked}`, "bad_thread_file"],
    [
      "with a document that is not a message",
      `${HEAD.join("\n")}\n---\n${asked}---\nhello: you\n`,
      "bad_thread_file",
    ],
    ["with a document that is a text", `${HEAD.join("\n")}\n---\nhello\n`, "bad_thread_file"],
    [
      "with a MESS that is a text in a list",
      `${HEAD.join("\n")}\n---\nfrom: ada\nMESS: [hello]\n`,
      "bad_thread_file",
    ],
    [
      "without any time",
      `ref: a\n---\nfrom: ada\nMESS:\n  - request: {intent: look}\n`,
      "bad_thread_file",
    ],
    [
      "with an invalid time",
      `ref: a\n---\nfrom: ada\nreceived: noon\nMESS:\n  - request: {intent: look}\n`,
      "bad_thread_file",
    ],
    ["that is not YAML", "ref: [", "bad_yaml"],
    ["with an alias", `ref: &a x\nintent: *a\n---\n${asked}`, "forbidden_yaml"],
    ["with a forbidden key", `ref: a\n__proto__: {a: 1}\n---\n${asked}`, "forbidden_key"],
    ["with a duplicate key", `ref: a\nref: b\n---\n${asked}`, "duplicate_key"],
    ["with a NUL character", `ref: a\0\n---\n${asked}`, "bad_encoding"],
  ])("a file is refused %s", (_why, text, code) => {
    const outcome = readThread([{ name: "x/notes.messe-af", text }]);

    expect(outcome).toMatchObject({ ok: false, error: { code } });
  });

  it("a thread without files is refused", () => {
    expect(readThread([])).toMatchObject({ ok: false, error: { code: "bad_thread_file" } });
  });

  it("the refusal of invalid YAML names its file", () => {
    const files = readFixture("v2-overflow/2026-03-09-007").map((file, index) =>
      index === 1 ? { ...file, text: "a: [\n" } : file,
    );
    const outcome = readThread(files);

    expect(!outcome.ok && outcome.error.message).toMatch(
      /^001-2026-03-09-007-bins\.messe-af\.yaml: /,
    );
  });
});
