/** Households as folders: pull and push, interrupted and continued, byte for byte; and queries on such a folder. */
import { createHash } from "node:crypto";
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createClient } from "../../../scripts/lib/client.ts";
import { ROOT } from "../../../scripts/lib/exchange/wrangler.ts";
import { type Cli, createCli, listProfiles } from "../../support/cli.ts";
import { runDocumentedQueries } from "../../support/documented-queries.ts";
import {
  joinExchange,
  removeDirectories,
  type SharedExchange,
} from "../../support/exchange-process.ts";
import { type HoldingProxy, startHoldingProxy } from "../../support/holding-proxy.ts";

const THREADS = 24;

let stack: SharedExchange;
let target: SharedExchange;
let proxy: HoldingProxy;
/** The command line, whose calls go through the proxy. */
let cli: Cli;
let done = "";
beforeAll(async () => {
  [stack, target] = await Promise.all([joinExchange(), joinExchange()]);
  proxy = await startHoldingProxy(stack.ready.origin);
  cli = createCli(proxy.origin, {
    ...listProfiles(stack.ready),
    target: target.ready.keys.owner,
  });
  const agent = createClient(stack.ready.origin, stack.ready.keys.agent);
  const requests = Array.from({ length: THREADS - 1 }, (_, n) => ({
    request: { id: `check-${n}`, intent: `check "${n}": the door`, requires: ["check-visual"] },
  }));
  await agent.post("/mess", { MESS: requests });
  const photo = readFileSync(join(ROOT, "scripts", "assets", "fridge.jpg"));
  const phone = createClient(stack.ready.origin, stack.ready.keys.executors["ann-phone"]!);
  done = (await agent.mess('MESS: [{ request: { intent: "look", requires: [take-photo] } }]')).ref!;
  await phone.mess(
    `MESS: [{ response: { re: ${done}, content: ["Full", image: { file: a.jpg }] } }, { status: { re: ${done}, code: completed } }]`,
    [new File([photo], "a.jpg", { type: "image/jpeg" })],
  );
  await agent.post("/groups", { topic: "doors" });
});
afterAll(() => {
  proxy.close();
  removeDirectories();
});

/** Short, so that a failure shows names instead of bytes. */
const digest = (bytes: Uint8Array): string =>
  `${bytes.length} ${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}`;

/** The files below a folder with the digests of their bytes; without the audit trail, to which each export adds entries. */
function readFiles(
  folder: string,
  convert = (bytes: Buffer): Uint8Array => bytes,
): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return new Map(
    names
      .filter((name) => statSync(join(folder, name)).isFile() && name !== "audit.yaml")
      .map((name) => [name, digest(convert(readFileSync(join(folder, name))))]),
  );
}

/** The bytes without times: an import computes the times of a request from its messages. */
const removeTimes = (bytes: Buffer): Uint8Array =>
  Buffer.from(bytes.toString("latin1").replaceAll(/T\d\d:\d\d:\d\d/g, "T"), "latin1");

/** The files of the household's export by HTTP. */
async function readExport({ ready } = stack): Promise<Map<string, string>> {
  const zip = await createClient(ready.origin, ready.keys.owner).bytes("/mess/export.zip");
  return new Map(
    Object.entries(unzipSync(zip))
      .filter(([name]) => name !== "audit.yaml")
      .map(([name, bytes]) => [name, digest(bytes)]),
  );
}

const listPulled = (folder: string, state = "received"): string[] =>
  existsSync(join(folder, `state=${state}`)) ? readdirSync(join(folder, `state=${state}`)) : [];

/** A request that was downloaded in the second of its last change is downloaded again; this one was not. */
function markAsSettled(folder: string): void {
  const later = new Date(Date.now() + 10_000);
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), later, later);
}

/** Starts a command, and kills it when the proxy holds one of its calls back. */
async function runUntilHeld(
  args: readonly string[],
  isHeld: (path: string) => boolean,
): Promise<void> {
  const held = proxy.hold(isHeld);
  const child = cli.start(...args);
  await held;
  const ended = new Promise((resolve) => {
    child.once("close", resolve);
  });
  child.kill("SIGKILL");
  await ended;
  proxy.release();
}

interface Pulled {
  threads: number;
  pulled: number;
  unchanged: number;
  deleted: number;
}

it("a pull that is killed leaves whole requests only, and the next one brings what is missing", async () => {
  const folder = join(cli.folder, "pulled");
  await expect
    .poll(async () => (await cli.json<{ threads: [] }>("list", "--all")).threads.length)
    .toBe(THREADS);
  let archives = 0;
  await runUntilHeld(["pull", folder], (path) => path.endsWith("archive.zip") && ++archives > 8);
  const kept = ["received", "finished"].flatMap((state) =>
    listPulled(folder, state).map((name) => join(folder, `state=${state}`, name)),
  );
  for (const path of kept) markAsSettled(path);
  const expected = await readExport();
  const partial = readFiles(folder);

  const rest = await cli.json<Pulled>("pull", folder);

  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(THREADS);
  for (const [name, bytes] of partial)
    if (name.startsWith("state=")) expect(expected.get(name), name).toBe(bytes);
  expect(rest).toMatchObject({ threads: THREADS, deleted: 0 });
  expect(rest.unchanged).toBe(kept.length);
  expect(readFiles(folder)).toEqual(expected);
  expect([...expected.keys()].filter((name) => name.startsWith("groups/"))).not.toEqual([]);
});

it("a pull brings only what has changed: a request moves to its new state, a deleted one goes", async () => {
  const folder = join(cli.folder, "pulled");
  const [first = "", second = ""] = listPulled(folder);
  const phone = createClient(stack.ready.origin, stack.ready.keys.executors["ann-phone"]!);
  await phone.mess(`MESS: [{ status: { re: ${first}, code: claimed } }]`);
  await fetch(`${stack.ready.origin}/mess/${second}`, {
    method: "DELETE",
    headers: { Authorization: `Bearer ${stack.ready.keys.owner}` },
  });
  await expect
    .poll(
      async () => (await cli.json<{ threads: [] }>("list", "--state", "received")).threads.length,
    )
    .toBe(THREADS - 3);
  writeFileSync(join(folder, "state=received", second, "note.txt"), "goes with the request");

  const pulled = await cli.json<Pulled>("pull", folder);

  expect(pulled).toMatchObject({ threads: THREADS - 1, deleted: 1 });
  expect(pulled.unchanged).toBeGreaterThan(0);
  expect(readdirSync(join(folder, "state=executing"))).toEqual([first]);
  expect(readFiles(folder)).toEqual(await readExport());
});

it("the queries of the documentation run on a pulled folder", async () => {
  const answers = await runDocumentedQueries(join(cli.folder, "pulled"));

  const [waiting, executing, completed, failed] = answers;
  expect(waiting).toHaveLength(THREADS - 3);
  expect(executing).toMatchObject([{ executor: "ann-phone" }]);
  expect(completed).toEqual([{ executor: "ann-phone", completed: "1" }]);
  expect(failed).toEqual([]);
});

it("a push that is killed continues without importing twice, and a pull gives the same bytes back", async () => {
  const folder = join(cli.folder, "pulled");
  const copy = join(cli.folder, "copy");
  let imports = 0;
  await runUntilHeld(
    ["push", folder, "--config", "-p", "target"],
    (path) => path === "/mess/import" && ++imports > 1,
  );

  const rest = await cli.json<object>("push", folder, "-p", "target");
  const again = await cli.json<object>("push", folder, "--all", "-p", "target");
  await expect
    .poll(async () => (await cli.json<Pulled>("pull", copy, "--threads", "-p", "target")).threads)
    .toBe(THREADS - 1);

  expect(rest).toMatchObject({ imported: THREADS - 1 - 10, unchanged: 10, refused: [] });
  expect(again).toMatchObject({ imported: 0, unchanged: THREADS - 1, refused: [] });
  const isThread = ([name]: [string, string]): boolean => name.startsWith("state=");
  expect([...readFiles(copy)]).toEqual(
    expect.arrayContaining([...(await readExport(target))].filter(isThread)),
  );
  const pushed = [...readFiles(folder, removeTimes)].filter(isThread);
  expect(readFiles(copy, removeTimes)).toEqual(new Map(pushed));
});

it("requests that cannot be imported are refused and named, and keep no other from its import", async () => {
  const folder = join(cli.folder, "pulled");
  const [stray = ""] = listPulled(folder);
  writeFileSync(join(folder, "state=received", stray, "a note.txt"), "not part of the format");
  const path = join(folder, "state=finished", done, `000-${done}.messe-af.yaml`);
  writeFileSync(path, readFileSync(path, "utf8").replace("Full", "Empty"));

  const pushed = await cli.run(["push", folder, "--all", "--json"]);

  const { unchanged, refused } = JSON.parse(pushed.stdout) as {
    unchanged: number;
    refused: { name: string }[];
  };
  expect(pushed.code).toBe(1);
  expect(unchanged).toBe(THREADS - 3);
  expect(refused.map(({ name }) => name).join(" ")).toContain(done);
  expect(refused.map(({ name }) => name)).toContain(stray);
  expect(JSON.stringify(await cli.json("show", done))).not.toContain("Empty");
});
