import { env } from "cloudflare:workers";
import fc from "fast-check";
import { unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { writeThreadFiles } from "../../../src/mess/messe-af/write.ts";
import { anyThread } from "../../support/generators/any-thread.ts";
import { REF } from "../../unit/mess/thread/support.ts";
import { type Answered, type Caller, expectOkJson, createFreshHousehold } from "../support.ts";

const CASES = Number(env.RELIABILITY_CASES);
const SEED = Number(env.RELIABILITY_SEED);
/** Threads of one archive, which may have 200 entries. */
const THREADS_PER_ARCHIVE = 50;
const ATTACHMENT = "att-003-image-lamp.png";

const encodeText = (text: string): Uint8Array => new TextEncoder().encode(text);
type Entries = Record<string, Uint8Array>;

/** Random threads as files, each with its own ref and the bytes of the one file that it may name. */
function sampleArchive(first: number, count: number): Entries {
  const entries: Entries = {};
  const threads = fc.sample(anyThread, { numRuns: count, seed: SEED + first });
  for (const [at, thread] of threads.entries()) {
    const ref = REF.replace("-001-", `-${String(first + at + 1).padStart(3, "0")}-`);
    for (const { name, text } of writeThreadFiles(thread)) {
      const renamed = text.replaceAll(REF, ref);
      entries[`${ref}/${name.replace(REF, ref)}`] = encodeText(renamed);
      if (renamed.includes(`file: ${ATTACHMENT}`))
        entries[`${ref}/${ATTACHMENT}`] = encodeText(`a picture of ${ref}`);
    }
  }
  return entries;
}

async function bring(owner: Caller, entries: Entries): Promise<Answered> {
  const headers = { "Content-Type": "application/zip" };
  return await expectOkJson(
    await owner.fetch("/mess/import", { method: "POST", body: zipSync(entries), headers }),
  );
}

async function exportEntries(owner: Caller): Promise<Entries> {
  const response = await owner.fetch("/mess/export.zip");
  // Each household has its own audit trail.
  const { "audit.yaml": _audit, ...threads } = unzipSync(
    new Uint8Array(await response.arrayBuffer()),
  );
  return threads;
}

describe("export, import into another household, export", () => {
  it(
    `export, import into another household and export give the same bytes for ${CASES} random threads (seed ${SEED})`,
    { timeout: 60_000 + CASES * 200 },
    async () => {
      let compared = 0;
      for (let first = 0; first < CASES; first += THREADS_PER_ARCHIVE) {
        const given = sampleArchive(first, Math.min(THREADS_PER_ARCHIVE, CASES - first));
        const [one, two] = [await createFreshHousehold(), await createFreshHousehold()];
        const brought = await bring(one.owner, given);
        expect(brought.refused).toEqual([]);
        const out = await exportEntries(one.owner);
        const again = await bring(two.owner, out);
        expect(again.refused).toEqual([]);
        expect(
          again.imported.filter(({ differences }: Answered) => differences.length > 0),
        ).toEqual([]);

        const back = await exportEntries(two.owner);

        expect(Object.keys(back).toSorted()).toEqual(Object.keys(out).toSorted());
        for (const [name, content] of Object.entries(out)) {
          expect(back[name], name).toEqual(content);
          if (name === "config.yaml") continue;
          // The source household's export must have the same bytes, in the folder of the thread's state.
          expect(given[name.replace(/^state=[a-z-]+\//, "")], name).toEqual(content);
          if (name.endsWith(".yaml")) compared++;
        }
      }
      expect(compared).toBeGreaterThanOrEqual(CASES);
    },
  );
});
