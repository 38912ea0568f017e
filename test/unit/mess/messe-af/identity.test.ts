import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import type { Thread } from "../../../../src/mess/envelope.ts";
import { readThread } from "../../../../src/mess/messe-af/read.ts";
import {
  buildEnvelopeDocument,
  buildMessageDocument,
  writeThreadFiles,
  writeThreadYaml,
} from "../../../../src/mess/messe-af/write.ts";
import { anyThread } from "../../../support/generators/any-thread.ts";

function read(files: { name: string; text: string }[]) {
  const outcome = readThread(files);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.value;
}

const limit = fc.constantFrom(1, 700, 4_000, 1_000_000);

describe("an exported thread", { timeout: 60_000 }, () => {
  it("an exported thread reads back with status, holder and history from its messages alone", () => {
    fc.assert(
      fc.property(anyThread, limit, (thread, size) => {
        const { thread: again, differences } = read(writeThreadFiles(thread, size));

        expect(differences).toEqual([]);
        expect(again).toEqual(thread);
      }),
      { numRuns: 400 },
    );
  });

  it("an exported thread has the same bytes after export, import and export", () => {
    fc.assert(
      fc.property(anyThread, limit, (thread, size) => {
        const files = writeThreadFiles(thread, size);

        expect(writeThreadFiles(read(files).thread, size)).toEqual(files);
      }),
      { numRuns: 100 },
    );
  });

  it("an exported thread without its envelope is read from its messages", () => {
    fc.assert(
      fc.property(anyThread, (thread) => {
        const { history: _history, ...known } = thread.envelope;
        const { ref, expires, blocked_by, priority, updated } = known;
        const left = { ref, expires, blocked_by, priority, updated, history: [] };
        const envelope = left as unknown as Thread["envelope"];

        const again = read(writeThreadFiles({ ...thread, envelope })).thread;

        expect(again.envelope).toMatchObject(known);
        expect(again.messages).toEqual(thread.messages);
      }),
      { numRuns: 100 },
    );
  });

  it.each(["1.1", "1.2"] as const)("an exported thread reads the same with YAML %s", (version) => {
    fc.assert(
      fc.property(anyThread, (thread) => {
        const documents = parseAllDocuments(writeThreadYaml(thread), { version });

        expect(Array.isArray(documents) && documents.map((one) => one.toJS() as unknown)).toEqual([
          buildEnvelopeDocument(thread.envelope),
          ...thread.messages.map(buildMessageDocument),
        ]);
      }),
      { numRuns: 50 },
    );
  });
});
