/** `npm run demo`: the complete run, and the files that it leaves. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { createClient } from "../../scripts/lib/client.ts";
import { listZipEntries } from "../../scripts/lib/zip.ts";
import {
  createMigratedState,
  listProcesses,
  waitForReadyFile,
  removeDirectories,
  runScript,
  createTemporaryDirectory,
} from "../support/exchange-process.ts";

const PHOTO = new URL("../../scripts/assets/fridge.jpg", import.meta.url);

afterAll(removeDirectories);

describe("npm run demo", () => {
  it("npm run demo -- --once shows the main use case in eight steps, and leaves a photo and an archive", async () => {
    const out = createTemporaryDirectory();

    const program = runScript("demo", ["--once", "--out", out]);

    expect(await program.exit, program.output()).toBe(0);
    const steps = [...program.output().matchAll(/^(\d+)\. \S/gm)].map(([, step]) => Number(step));
    expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(listProcesses([program.child.pid!])).toEqual([]);

    const files = readdirSync(out);
    const photo = files.find((name) => name.endsWith(".jpg"));
    expect(readFileSync(join(out, photo ?? ""))).toEqual(readFileSync(PHOTO));

    const archive = files.find((name) => name.endsWith("-fridge-check.messe-af.zip")) ?? "";
    const ref = archive.replace(".messe-af.zip", "");
    const entries = listZipEntries(readFileSync(join(out, archive)));
    expect(entries.map(({ name }) => name).toSorted()).toEqual([
      `${ref}/000-${ref}.messe-af.yaml`,
      `${ref}/${photo}`,
    ]);
    const text = new TextDecoder().decode(entries.find(({ name }) => name.endsWith("yaml"))?.bytes);
    const documents = parseAllDocuments(text).map((document) => document.toJS() as object);
    expect(documents[0]).toMatchObject({ ref, requestor: "claude", executor: "ann-phone" });
    expect(documents.length).toBeGreaterThan(3);
    for (const part of [ref, photo, archive, "ann-phone", "completed"])
      expect(program.output()).toContain(part);
  });

  it("npm run demo stays up afterwards with the agent's key shown, until Ctrl-C", async () => {
    const [state, out] = [createMigratedState(), createTemporaryDirectory()];
    const readyFile = join(state, "ready.json");

    const program = runScript("demo", ["--state", state, "--out", out, "--ready-file", readyFile]);
    const { origin, keys } = await waitForReadyFile(program, readyFile);
    await expect.poll(program.output, { timeout: 30_000 }).toContain(keys.agent);

    const agent = createClient(origin, keys.agent);
    await expect
      .poll(async () => await agent.get<object>("/mess?state=finished"), { timeout: 20_000 })
      .toMatchObject({ threads: [{ status: "completed" }] });
    program.child.kill("SIGINT");
    expect(await program.exit).toBe(0);
  });

  it("npm run demo asks a question with a link for phones, and prints the answer to it", async () => {
    const [state, out] = [createMigratedState(), createTemporaryDirectory()];
    const readyFile = join(state, "ready.json");
    const origin = ["--public-origin", "https://mess.test"];
    const files = ["--state", state, "--out", out, "--ready-file", readyFile];
    const program = runScript("demo", [...origin, ...files]);
    const ready = await waitForReadyFile(program, readyFile);
    const phone = createClient(ready.origin, ready.keys.executors["ann-phone"] ?? "");
    await expect.poll(program.output, { timeout: 30_000 }).toContain("Ctrl-C");
    const link = /https:\/\/mess\.test(\/r\/\S+)/.exec(program.output());
    const list = () => phone.get<{ threads: { ref: string }[] }>("/mess?state=received");
    await expect.poll(async () => (await list()).threads, { timeout: 20_000 }).toHaveLength(1);
    const ref = (await list()).threads[0]?.ref ?? "";

    await phone.mess(
      `{ re: ${ref}, MESS: [{ response: { content: [All of them are shut.] } }, { status: { code: completed } }] }`,
    );

    await expect.poll(program.output, { timeout: 20_000 }).toContain('"All of them are shut."');
    expect((await fetch(`${ready.origin}${link?.[1]}`)).status).toBe(200);
    program.child.kill("SIGINT");
    expect(await program.exit).toBe(0);
  });

  it("npm run demo fails with exit code 1 and names the directory that it cannot write to", async () => {
    const state = createMigratedState();

    const program = runScript("demo", ["--once", "--state", state, "--out", "/dev/null/nowhere"]);

    expect(await program.exit).toBe(1);
    expect(program.output()).toContain("/dev/null/nowhere");
  });
});
