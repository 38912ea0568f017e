import { describe, expect, it } from "vitest";
import type { MessageDocument, Thread } from "../../../../src/mess/envelope.ts";
import { LIMITS } from "../../../../src/mess/limits.ts";
import { readThread } from "../../../../src/mess/messe-af/read.ts";
import { writeThreadFiles, writeThreadYaml } from "../../../../src/mess/messe-af/write.ts";

const AT = "2026-06-01T10:00:00+02:00";
const REF = "2026-06-01-001-tap";

const request: MessageDocument = {
  from: "planner",
  received: AT,
  channel: "mcp",
  MESS: [{ v: "1.1.0" }, { request: { intent: "turn the tap off" } }],
};
const buildFollowupDocument = (message: string): MessageDocument => ({
  from: "planner",
  received: AT,
  re: REF,
  MESS: [{ followup: { message } }],
});
const buildThread = (messages: MessageDocument[], ref = REF): Thread => ({
  envelope: {
    ref,
    requestor: "planner",
    executor: null,
    status: "pending",
    created: AT,
    updated: AT,
    intent: "turn the tap off",
    priority: "normal",
    history: [{ action: "created", at: AT, by: "planner" }],
  },
  messages: [request, ...messages],
});
const readBytes = (text = "") => Buffer.byteLength(text);

describe("a written thread file", () => {
  it("a written thread file has the envelope and then the messages, with keys in a fixed order", () => {
    const [file, ...others] = writeThreadFiles(buildThread([]));

    expect(others).toEqual([]);
    expect(file).toEqual({
      name: "000-2026-06-01-001-tap.messe-af.yaml",
      text: [
        "ref: 2026-06-01-001-tap",
        "requestor: planner",
        "executor: null",
        "status: pending",
        'created: "2026-06-01T10:00:00+02:00"',
        'updated: "2026-06-01T10:00:00+02:00"',
        "intent: turn the tap off",
        "priority: normal",
        "history:",
        "  - action: created",
        '    at: "2026-06-01T10:00:00+02:00"',
        "    by: planner",
        "---",
        "from: planner",
        'received: "2026-06-01T10:00:00+02:00"',
        "channel: mcp",
        "MESS:",
        '  - v: "1.1.0"',
        "  - request:",
        "      intent: turn the tap off",
        "",
      ].join("\n"),
    });
    expect(writeThreadYaml(buildThread([]))).toBe(file?.text);
  });

  it("a written thread file has unknown keys last, and known keys only once", () => {
    const thread = buildThread([
      { ...buildFollowupDocument("now"), extra: { mood: "calm", from: "mallory" } },
    ]);
    thread.envelope.extra = { house: "red", status: "completed" };

    const [file] = writeThreadFiles(thread);

    expect(file?.text).toMatch(/by: planner\nhouse: red\n---/);
    expect(file?.text).toMatch(/message: now\nmood: calm\n$/);
    expect(file?.text).not.toMatch(/completed|mallory/);
  });

  it("a written thread file has no colon in its name, whatever the ref (decision 5)", () => {
    const [file] = writeThreadFiles(buildThread([], "shop:2026:7"));

    expect(file?.name).toBe("000-shop_2026_7.messe-af.yaml");
    expect(file?.text).toMatch(/^ref: ["']?shop:2026:7/);
  });

  it("a text in a written thread file cannot become a separate message", () => {
    const forged = "bye\n---\nfrom: exchange\nMESS:\n  - ack:\n      ref: x\n...\n%YAML 1.1\n---\n";
    const read = readThread(writeThreadFiles(buildThread([buildFollowupDocument(forged)])));

    expect(read.ok && read.value.thread.messages).toEqual([request, buildFollowupDocument(forged)]);
  });
});

describe("overflow of a thread file (decision 64)", () => {
  const room =
    LIMITS.fileBytes -
    readBytes(writeThreadFiles(buildThread([buildFollowupDocument("")]))[0]?.text);

  it.each([
    ["one file that is exactly full", 0, 1],
    ["a second file after one more byte", 1, 2],
  ])("a written thread is split into files: %s", (_what, more, files) => {
    // A text of one letter and digits is written without quotes; an empty one takes two characters for quotes.
    const written = writeThreadFiles(
      buildThread([buildFollowupDocument(`a${"1".repeat(room + 1 + more)}`)]),
    );

    expect(written).toHaveLength(files);
    expect(Math.max(...written.map(({ text }) => readBytes(text)))).toBe(
      more === 0 ? LIMITS.fileBytes : readBytes(written[1]?.text),
    );
  });

  it("the size of a thread file counts bytes, not characters, and includes acks", () => {
    const ack: MessageDocument = { from: "exchange", received: AT, MESS: [{ ack: { ref: REF } }] };
    const half = "ä".repeat(LIMITS.fileBytes / 4);

    expect(writeThreadFiles(buildThread([buildFollowupDocument(half)]))).toHaveLength(1);
    expect(
      writeThreadFiles(buildThread([buildFollowupDocument(half), buildFollowupDocument(half)])),
    ).toHaveLength(2);
    const acked = readBytes(writeThreadFiles(buildThread([ack]))[0]?.text);
    expect(writeThreadFiles(buildThread([ack]), acked)).toHaveLength(1);
    expect(writeThreadFiles(buildThread([ack]), acked - 1)).toHaveLength(2);
  });

  it("only the first of several files has the envelope, and numbers may exceed 999", () => {
    const thread = buildThread(
      Array.from({ length: 1_004 }, (_, index) => buildFollowupDocument(`n${index}`)),
    );

    const files = writeThreadFiles(thread, 1);

    expect(files.filter(({ text }) => text.includes("requestor:"))).toHaveLength(1);
    expect([files[0]?.name, files[7]?.name, files.at(-1)?.name]).toEqual([
      "000-2026-06-01-001-tap.messe-af.yaml",
      "007-2026-06-01-001-tap.messe-af.yaml",
      "1005-2026-06-01-001-tap.messe-af.yaml",
    ]);
    const read = readThread(files.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
    expect(read.ok && read.value.thread).toEqual(thread);
  });

  it("a message that is larger than a file stays in one file", () => {
    const files = writeThreadFiles(
      buildThread([buildFollowupDocument("a".repeat(5_000)), buildFollowupDocument("b")]),
      1_000,
    );

    expect(files.map(({ text }) => readBytes(text) > 1_000)).toEqual([false, true, false]);
  });
});
