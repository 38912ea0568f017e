/** Operations on files: writing and reading threads as MESSE-AF, and the layout of archives. */
import type { Thread } from "../../../src/mess/envelope.ts";
import type { Json } from "../../../src/mess/json.ts";
import { readLayout, buildThreadDirectory } from "../../../src/mess/messe-af/layout.ts";
import { buildArchiveName, buildThreadFileName } from "../../../src/mess/messe-af/names.ts";
import { readThread } from "../../../src/mess/messe-af/read.ts";
import { type ThreadFile, writeThreadFiles } from "../../../src/mess/messe-af/write.ts";
import type { Status } from "../../../src/mess/status.ts";
import type { Call } from "../check.ts";
import { answer, toJson } from "./result-json.ts";

/** Writes the files of a thread; `given.limit`, in bytes, replaces the limit of 1 MB for a file. */
export function write({ given, when }: Call): Json {
  const limit = given.limit === undefined ? undefined : Number(given.limit);
  return toJson({ files: writeThreadFiles(when as unknown as Thread, limit) });
}

export function buildFileNames({ when }: Call): Json {
  const { ref, status, number } = when as { ref: string; status: Status; number: number };
  return {
    file: buildThreadFileName(ref, number),
    archive: buildArchiveName(ref),
    directory: buildThreadDirectory({ ref, status }, false),
    partitioned: buildThreadDirectory({ ref, status }, true),
  };
}

export const parseLayout = ({ when }: Call): Json =>
  answer(readLayout(when as string[]), (found) => found);

/**
 * Reads a thread from its files. Differences are returned as the keys at their start; their wording is not compared.
 */
export const read = ({ when }: Call): Json =>
  answer(readThread(when as unknown as ThreadFile[]), ({ thread, differences }) => ({
    ...thread,
    differences: differences.map((difference) => difference.split(/[[:. ]/, 1)[0]),
  }));
