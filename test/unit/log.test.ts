/** The Worker's log lines, and the settings with which Cloudflare records requests. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { unstable_readConfig } from "wrangler";
import { ROOT } from "../../scripts/lib/exchange/wrangler.ts";
import { log, logDefect } from "../../src/log.ts";
import { redact } from "../../src/redact.ts";

const HEX = "0123456789abcdef".repeat(4);
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJlLWNhbmFyeQ";
const CODE = "home_2026-02-01-003_1k3v9x0q2m4n6p8r0";

afterEach(() => vi.restoreAllMocks());

function captureLog(act: () => void): string {
  const lines: unknown[] = [];
  vi.spyOn(console, "log").mockImplementation((...parts: unknown[]) => void lines.push(...parts));
  act();
  return lines.join("\n");
}

describe("redact", () => {
  test.each([
    ["a short link's path", `GET /r/${CODE} 200`, "GET /r/… 200"],
    ["a short link's path with a query", `/r/${CODE}?as=form`, "/r/…?…"],
    ["a code that stands alone", `code ${CODE}`, "code …"],
    ["a thread's path with a token", `/mess/2026-02-01-003?token=${JWT}`, "/mess/2026-02-01-003?…"],
    ["the page's path with a token", `/respond?ref=a&token=${JWT}`, "/respond?…"],
    ["a hook's path", "POST /hooks/executor/home/roomba-s3cret", "POST /hooks/executor/…"],
    ["a path with a key", `/api/v1/keys/mess_home_${HEX}`, "/api/v1/keys/mess_…"],
    ["a foreign path", "https://discord.com/api/webhooks/1/abc", "https://discord.com/…"],
    ["a foreign query", "see https://r.example?key=abc.", "see https://r.example/…"],
    ["user info", "http://ann:pw@r.example:8080", "http://r.example:8080"],
    ["user info before a path", "http://ann:pw@r.example/hook", "http://r.example/…"],
    ["a socket's address", "wss://mess.test/respond/live?session=abc", "wss://mess.test/…"],
    ["a signed token", `token ${JWT}`, "token …"],
    ["an encrypted token without a key part", "eyJhbGciOiJkaXIifQ..aXY.Y2lwaGVy.dGFn", "…"],
    ["a header", `Authorization: Bearer ${HEX.slice(0, 20)}`, "Authorization: Bearer …"],
    ["a webhook's secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_…"],
    ["a random secret", HEX, "…"],
  ])("redact removes %s", (_name, text, shown) => {
    expect(redact(text)).toBe(shown);
  });

  test.each([
    "POST /mess 200 OK (23ms)",
    "/mess/:ref/attachments/:name",
    "2026-02-01-003",
    "3aaf434a-efb2-411c-afcf-6cc595695a35",
    "    at handle (file:///app/src/r/index.js:12:3)",
    "Ready on http://127.0.0.1:8787",
    "set PUBLIC_ORIGIN",
  ])("redact leaves %s unchanged", (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe("log", () => {
  test("log redacts texts in fields and leaves numbers and ids unchanged", () => {
    const line = captureLog(() =>
      log("event", { path: `/r/${CODE}?token=${JWT}`, n: 3, id: "a-1" }),
    );

    expect(JSON.parse(line)).toMatchObject({ event: "event", path: "/r/…?…", n: 3, id: "a-1" });
    expect(line).not.toContain(CODE);
  });

  test("a defect is logged with its stack frames and without any line of its message", () => {
    const error = new TypeError("cannot read\n    at canary-one (x.js:1:2)\n/r/canary-two");

    const line = captureLog(() => logDefect(error, { route: "/r/:code" }));

    expect(line).toContain("log.test.ts");
    expect(line).toContain('"name":"TypeError"');
    expect(line).not.toContain("canary");
  });

  test("a defect that is not an Error is logged only by its type", () => {
    expect(captureLog(() => logDefect("canary"))).not.toContain("canary");
  });
});

interface Schema {
  properties: Record<string, Partial<Schema> & { type: string }>;
  additionalProperties: boolean;
}

describe("wrangler.toml", () => {
  const { observability } = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
  const file = join(ROOT, "node_modules/wrangler/config-schema.json");
  const { definitions } = JSON.parse(readFileSync(file, "utf8")) as {
    definitions: { Observability: Schema };
  };

  test("wrangler.toml turns off the recording of requests, queries and traces, since addresses contain tokens", () => {
    expect(observability).toMatchObject({
      enabled: true,
      head_sampling_rate: 1,
      redact_query_string: true,
      logs: { enabled: true, invocation_logs: false },
      traces: { enabled: false },
    });
  });

  test("wrangler.toml sets only observability options that the installed wrangler supports", () => {
    const unknown: string[] = [];
    const check = (value: object, schema: Partial<Schema>, path: string): void => {
      for (const [key, one] of Object.entries(value)) {
        const known = schema.properties?.[key];
        const isObject = typeof one === "object";
        if (known?.type !== typeof one) unknown.push(`${path}.${key}`);
        else if (isObject) check(one as object, known, `${path}.${key}`);
      }
    };

    check(observability ?? {}, definitions.Observability, "observability");

    expect(unknown).toEqual([]);
    expect(definitions.Observability.additionalProperties).toBe(false);
  });
});
