import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { expect, it } from "vitest";
import { toFileName } from "../../../cli/lib/tree/names.js";
import { unpackZip } from "../../../cli/lib/tree/read-zip.js";
import { getStateFolder } from "../../../cli/lib/tree/tree.js";
import { writeZip } from "../../../cli/lib/tree/write-zip.js";
import { getPartitionFolder } from "../../../src/mess/messe-af/names.ts";
import { STATUSES } from "../../../src/mess/status.ts";

it("the command line puts requests of each status into the folder of the exchange", () => {
  expect(STATUSES.map(getStateFolder)).toEqual(STATUSES.map(getPartitionFolder));
});

it("an archive is read as it was written, and a damaged or incomplete one is refused", () => {
  const folder = mkdtempSync(join(tmpdir(), "mess-zip-"));
  const files = [
    { name: "a/000-a.messe-af.yaml", bytes: new TextEncoder().encode("ref: ä\n") },
    { name: "a/att-001-x.bin", bytes: Uint8Array.from({ length: 3_000 }, (_, n) => n % 251) },
    { name: "a/empty", bytes: new Uint8Array() },
  ];
  const zip = writeZip(files);
  const path = join(folder, "a.zip");
  const unpack = (bytes: Uint8Array, to: string) => {
    writeFileSync(path, bytes);
    unpackZip(path, (name) => join(folder, `${to}-${name.replaceAll("/", "-")}`));
  };
  const damaged = zip.slice();
  damaged.set([1, 2, 3], 500);

  unpack(zip, "whole");

  expect(unzipSync(zip)).toEqual(Object.fromEntries(files.map(({ name, bytes }) => [name, bytes])));
  for (const { name, bytes } of files)
    expect(
      new Uint8Array(readFileSync(join(folder, `whole-${name.replaceAll("/", "-")}`))),
    ).toEqual(bytes);
  expect(() => unpack(damaged, "damaged")).toThrow(/damaged/);
  expect(() => unpack(zip.slice(0, -30), "cut")).toThrow(/incomplete/);
  rmSync(folder, { recursive: true });
});

it.each(["..", "a/b", "a\\b", "", ".hidden", "a\u0000", "con:", "end."])(
  "the file name %j of an exchange is refused",
  (name) => {
    expect(() => toFileName(name)).toThrow(/not safe/);
  },
);
