/** Asking and answering by the command line, against a started Worker. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROOT } from "../../../scripts/lib/exchange/wrangler.ts";
import { type Cli, createCli, listProfiles } from "../../support/cli.ts";
import {
  joinExchange,
  removeDirectories,
  type SharedExchange,
} from "../../support/exchange-process.ts";

const PHOTO = join(ROOT, "scripts", "assets", "fridge.jpg");

let stack: SharedExchange;
let cli: Cli;
beforeAll(async () => {
  stack = await joinExchange();
  cli = createCli(stack.ready.origin, listProfiles(stack.ready));
});
afterAll(removeDirectories);

interface Thread {
  envelope: { ref: string; status: string; executor: string };
  messages: { from: string; MESS: Record<string, { content?: unknown[]; code?: string }>[] }[];
  attachments: { name: string }[];
}

it("asks with a photo, waits, and gets the answer with a photo of the one who claims it", async () => {
  const asking = "ask Full? --id fridge -r take-photo --context dinner --wait -p agent --file";
  const asked = cli.run([...asking.split(" "), PHOTO]);
  const { threads } = await expect
    .poll(() => cli.json<{ threads: { ref: string }[] }>("list", "--mine", "-p", "phone"))
    .toMatchObject({ threads: [{}] })
    .then(() => cli.json<{ threads: { ref: string }[] }>("list", "--mine", "-p", "phone"));
  const ref = threads[0]!.ref;
  await cli.json("claim", ref, "--eta", "20m", "-p", "phone");
  await cli.json("answer", ref, "Half", "full", "--file", PHOTO, "-p", "phone");
  await cli.json("complete", ref, "That is all.", "-p", "phone");

  const waited = await asked;
  const thread = await cli.json<Thread>("show", "fridge", "--files", "photos", "-p", "agent");
  expect(waited, waited.stderr).toMatchObject({ code: 0 });
  expect(waited.stdout).toContain("Half full");
  expect(thread.envelope).toMatchObject({ ref, status: "completed", executor: "ann-phone" });
  expect(thread.attachments.map(({ name }) => name)).toHaveLength(2);
  for (const { name } of thread.attachments)
    expect(readFileSync(join(cli.folder, "photos", name))).toEqual(readFileSync(PHOTO));
});

it("replies to a question and a confirmation, declines, and cancels", async () => {
  const { ref } = await cli.json<{ ref: string }>(
    ..."ask Vacuum -r vacuum-floor --confirm -p agent".split(" "),
  );
  await cli.json("claim", ref, "-p", "robot");
  const status = (fields: object) =>
    JSON.stringify({ MESS: [{ status: { re: ref, code: "needs_input", ...fields } }] });
  const questions = [{ field: "area", question: "Which area?", options: ["sink", "stove"] }];
  await cli.run(["send", "-p", "robot"], status({ questions }));
  const waiting = await cli.run(["ask", "Vacuum", "--id", "other", "--wait", "--timeout", "0s"]);
  await cli.json("reply", ref, "area=stove", "-p", "agent");
  await cli.run(["send", "-p", "robot"], status({ code: "needs_confirmation", action: "start" }));
  await cli.json("reply", ref, "--yes", "-p", "agent");
  await cli.json("decline", ref, "--failed", "The battery is empty", "-p", "robot");
  const other = await cli.json<{ ref: string }>("ask", "Dust", "-r", "check-visual", "-p", "agent");
  await cli.json("cancel", other.ref, "Not needed", "-p", "agent");

  const { messages } = await cli.json<Thread>("show", ref, "-p", "agent");
  const sent = messages.flatMap(({ from, MESS }) => (from === "claude" ? MESS.slice(-1) : []));
  expect(waiting.code).toBe(6);
  expect(sent).toMatchObject([
    { request: {} },
    { reply: { answers: { area: "stove" } } },
    { reply: { confirm: true } },
  ]);
  expect((await cli.json<Thread>("show", ref)).envelope.status).toBe("failed");
  expect((await cli.json<Thread>("show", other.ref)).envelope.status).toBe("cancelled");
});

it("ends with the documented exit code, a reason and a hint after a failure", async () => {
  const cases: [args: string[], code: number][] = [
    [["claim"], 2],
    [["list", "-p", "nowhere"], 2],
    [["ask", "Look", "--file", "missing.jpg"], 2],
    [["show", "2026-01-01-001"], 4],
    [["ask", "Look", "-p", "phone"], 3],
    [["login", "https://127.0.0.1:1", "--key"], 5],
  ];
  const ended = await Promise.all(cases.map(([args]) => cli.run(args, "mess_home_0")));
  const json = await cli.run(["show", "2026-01-01-001", "--json"]);

  for (const [index, { code, stdout, stderr }] of ended.entries()) {
    expect(code, stderr).toBe(cases[index]![1]);
    expect(stdout).toBe("");
    expect(stderr.trim().split("\n").length, stderr).toBeGreaterThan(1);
  }
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "not_found" } });
});

it("signs in with a key from standard input, keeps it private, and refuses wrong keys and http", async () => {
  const { origin, keys } = stack.ready;
  const fresh = createCli(origin);
  const signedOut = await fresh.run(["list"]);
  const wrong = await fresh.run(["login", origin, "--key"], `mess_home_${"0".repeat(64)}`);
  const open = await fresh.run(["login", "http://mess.example.org", "--key"], keys.agent);
  const first = await fresh.run(["login", origin, "--key"], `${keys.agent}\n`);
  const second = await fresh.run(["login", origin, "--key", "-p", "boss"], keys.owner);
  await fresh.json("profiles", "use", "boss");

  expect([signedOut.code, wrong.code, open.code]).toEqual([3, 3, 2]);
  expect([first.code, second.code]).toEqual([0, 0]);
  expect(statSync(fresh.configPath).mode & 0o777).toBe(0o600);
  expect((first.stdout + first.stderr).includes(keys.agent)).toBe(false);
  const listed = await fresh.json<{ profiles: object[] }>("profiles");
  expect(listed.profiles).toEqual([
    { name: stack.ready.household, url: origin, default: false },
    { name: "boss", url: origin, default: true },
  ]);
  await fresh.json("logout");
  expect(await fresh.json("profiles")).toMatchObject({
    profiles: [{ name: stack.ready.household, default: true }],
  });
});
