import { describe, expect, it } from "vitest";

/** The pages are plain modules without type declarations. */
const path: string = "../../../public/respond/share-target.js";
const { MAX_SHARED_BYTES, selectFiles } = (await import(path)) as {
  MAX_SHARED_BYTES: number;
  selectFiles: (all: readonly File[]) => {
    files: File[];
    refused: { name: string; reason: string }[];
  };
};

const buildFile = (name: string, size: number): File =>
  ({ name, size, type: "image/jpeg" }) as File;

describe("the files that a share keeps", () => {
  it("keeps the files up to the total size and says that others did not fit", () => {
    const half = MAX_SHARED_BYTES / 2;
    const files = [buildFile("a", half), buildFile("b", half), buildFile("c", 1)];

    const kept = selectFiles(files);

    expect(kept.files.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(kept.refused).toEqual([{ name: "", reason: "limit" }]);
  });

  it("keeps as many files as an answer takes, and lists no more refusals than that", () => {
    const empty = Array.from({ length: 1000 }, (_, n) => buildFile(`${n}`, 0));
    const full = Array.from({ length: 21 }, (_, n) => buildFile(`${n}`, 1));

    expect(selectFiles(empty).refused).toHaveLength(21);
    expect(selectFiles(full).files).toHaveLength(20);
  });
});
