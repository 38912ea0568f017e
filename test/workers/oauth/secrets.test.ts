import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { expectOkJson, createFreshHousehold } from "../support.ts";
import { Browser, Client, createSignInLink, isOpening } from "./support.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Everything that the household's object stores, as text. */
const dumpHousehold = (id: string): Promise<string> =>
  runInDurableObject(env.HOUSEHOLDS.getByName(id), (_, { storage: { sql } }) => {
    const tables = sql.exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table'",
    );
    return tables
      .toArray()
      .filter(({ name }) => !name.startsWith("_cf_"))
      .map(({ name }) => JSON.stringify(sql.exec(`SELECT * FROM "${name}"`).toArray()))
      .join("\n");
  });

async function dumpKv(): Promise<string> {
  const { keys } = await env.OAUTH_KV.list();
  const entries = keys.map(async ({ name }) => `${name} ${await env.OAUTH_KV.get(name)}`);
  return (await Promise.all(entries)).join("\n");
}

describe("credentials in stores and logs", () => {
  it("credentials are in no store and in no log", async () => {
    const written: string[] = [];
    for (const method of ["log", "info", "warn", "error", "debug"] as const)
      vi.spyOn(console, method).mockImplementation((...all) => void written.push(all.join(" ")));
    const home = await createFreshHousehold();
    const link = await createSignInLink(home, "ann", "owner");
    const unused = await createSignInLink(home, "ben", "agent");
    const browser = new Browser();
    await browser.follow(link);
    const client = await Client.register();
    const code = (await client.connect(browser, { [home.id]: "agent" })).searchParams.get("code");
    const tokens = await expectOkJson(await client.exchange(code ?? ""));
    await isOpening(tokens.access_token);
    const refreshed = await expectOkJson(await client.refresh(tokens.refresh_token));

    const dump = [await dumpHousehold(home.id), await dumpKv(), ...written].join("\n");

    const secrets = [
      ...[link, unused].map((url) => url.split("_").at(-1)),
      ...[code, tokens, refreshed]
        .flatMap((one) => (typeof one === "string" ? one : [one.access_token, one.refresh_token]))
        .map((token: string) => token.split(":").at(-1)),
      ...browser.cookies.values(),
    ];
    expect(secrets).toHaveLength(7 + browser.cookies.size);
    for (const secret of secrets) expect(dump).not.toContain(secret);
    expect(dump).toContain("grant_given");
    expect(dump).toContain(client.id);
  });
});
