import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { waitForRelease } from "../../../scripts/lib/exchange/state-lock.ts";

const endings: (() => void)[] = [];
afterEach(() => endings.splice(0).forEach((end) => end()));

/** A port on which nothing listens. */
const SILENT_PORT = 1;

function createLockedDirectory(pid: number): string {
  const directory = mkdtempSync(join(tmpdir(), "mess-lock-"));
  endings.push(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, "running"), JSON.stringify({ pid, port: SILENT_PORT }));
  return directory;
}

/** A zombie process, whose parent never waits for it. */
async function createZombie(): Promise<number> {
  const parent = spawn("sh", ["-c", "true & echo $!; exec sleep 60"]);
  endings.push(() => parent.kill());
  const pid = await new Promise<number>((resolve) =>
    parent.stdout.once("data", (text: Buffer) => resolve(Number(text.toString()))),
  );
  return pid;
}

const waitForASecond = (directory: string): Promise<void> =>
  waitForRelease(directory, AbortSignal.timeout(1_000));

describe("the lock of a state directory", () => {
  it.runIf(process.platform === "linux")("a lock is void if its process is a zombie", async () => {
    await expect(waitForASecond(createLockedDirectory(await createZombie()))).resolves.toBe(
      undefined,
    );
  });

  it("a lock is valid while its process runs, even if it has just started", async () => {
    await expect(waitForASecond(createLockedDirectory(process.ppid))).rejects.toThrow("aborted");
  });
});
