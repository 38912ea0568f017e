/** The command line signs in by the browser of a person. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createClient } from "../../../scripts/lib/client.ts";
import { launchBrowser } from "../../support/browser.ts";
import { createCli } from "../../support/cli.ts";
import {
  joinExchange,
  removeDirectories,
  type SharedExchange,
} from "../../support/exchange-process.ts";

let stack: SharedExchange;
let browser: Browser;
let origin: string;
beforeAll(async () => {
  [stack, browser] = await Promise.all([joinExchange(), launchBrowser()]);
  // Sessions of people need a host name.
  origin = stack.ready.origin.replace("127.0.0.1", "localhost");
});
afterAll(async () => {
  await browser.close();
  removeDirectories();
});

it("a person signs in with a link, allows the program whose code they compared, and signs it out again", async () => {
  const owner = createClient(stack.ready.origin, stack.ready.keys.owner);
  const body = { actor: "mia", role: "agent" };
  const { url } = await owner.post<{ url: string }>("/api/v1/sign-in-links", body);
  const cli = createCli(origin);
  const login = cli.start("login", origin, "--no-browser");
  const printed = new Promise<string>((resolve) => {
    let text = "";
    login.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.includes("Waiting")) resolve(text);
    });
  });
  const ended = new Promise((resolve) => {
    login.once("close", resolve);
  });
  const [address = "", code = ""] =
    /(http\S+) .* ([A-Z]{4}-[A-Z]{4})/.exec(await printed)?.slice(1) ?? [];
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  const complaints: string[] = [];
  page.on("console", (line) => line.type() === "error" && complaints.push(line.text()));
  await page.goto(address.replace(stack.ready.origin, origin));
  await page.getByText("I have a sign-in link").click();
  await page.getByLabel("Paste the whole link").fill(url);
  await page.getByRole("button", { name: "Sign in with the link" }).click();
  await page.getByLabel("The code that the program shows").fill(code.toLowerCase());
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText(code).waitFor();
  const choices = await page.getByRole("option").allInnerTexts();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByText("it is signed in").waitFor();

  expect(await ended).toBe(0);
  expect(wide).toBeLessThanOrEqual(390);
  expect(choices.map((text) => text.trim())).toContain(
    `${stack.ready.household}: Ask, and read answers`,
  );
  expect(complaints).toEqual([]);
  const asked = await cli.json<{ ref: string }>("ask", "Is it dry?", "-r", "check-visual");
  expect(await owner.get(`/mess/${asked.ref}`)).toMatchObject({ envelope: { requestor: "mia" } });
  expect(await cli.json("logout")).toMatchObject({ key_ended: true });
  const { keys } = await owner.get<{ keys: { actor: string }[] }>("/api/v1/keys");
  expect(keys.map(({ actor }) => actor)).not.toContain("mia");
});
