/** The texts that are extracted from a configuration as secrets, and their names. */
import { describe, expect, test } from "vitest";
import type { Json } from "../../../../src/mess/json.ts";
import { extractSecrets } from "../../../../src/household/secrets/extract-secrets.ts";
import { fillReferences } from "../../../../src/household/secrets/secret-references.ts";

/** The visible form of a member's `notify`, after a check that nothing is lost. */
function extractAll(notify: Json): Json {
  const part = { root: "executors.ann", names: ["ann"], value: notify };
  const { values, extracted: lifted } = extractSecrets([part], [], new Set());
  const [value] = values;
  expect(fillReferences(value!, lifted)).toEqual(notify);
  return value!;
}

describe("extractSecrets", () => {
  test.each<[Json]>([
    [{ slack: "U04ABCDEF", telegram: 123_456_789, sms: "+1 555 0100", email: "ann@example.com" }],
    [{ push: true, webhook: null, mcp: false }],
    [{ pigeon: "coo", matrix: { room: "#home", user: "@ann:matrix.example", unread: 3 } }],
    [{ mcp: { url: "https://a.example/", tool: "execute_task" } }],
    [{ matrix: { topic: "tasks of the house", keyword: "urgent", passenger: "ann" } }],
  ])("extractSecrets leaves %j unchanged", (notify) => {
    expect(extractAll(notify)).toEqual(notify);
  });

  test.each<[Json]>([
    [{ matrix: "syt_YW5u_QbXvNjRkPzLmAoTsUeWi_1x2y3z" }],
    [{ matrix: { auth: "x" } }],
    [{ matrix: { headers: { Accept: "x" } } }],
    [{ matrix: { headers: ["Accept: x"] } }],
    [{ matrix: { headers: [{ name: "x", value: "y" }] } }],
    [{ matrix: { query: { room: "x" } } }],
    [{ matrix: { apiKey: "x" } }],
    [{ matrix: { apikey: "x" } }],
    [{ matrix: { "X-Auth-Token": "x" } }],
    [{ matrix: { nested: [{ password: "x" }] } }],
    [{ matrix: { room: "Bearer x" } }],
    [{ matrix: { room: "home?access_token=x" } }],
    [{ matrix: { room: "ann:password@matrix.example" } }],
    [{ matrix: { room: "tgram://x" } }],
    [{ auth: "x" }],
    [{ webhook: { url: "https://a.example", headers: { "X-Own": "x" } } }],
    [{ ntfy: "x" }],
    [{ discord: "https://discord.com/api/webhooks/1/x" }],
  ])("extractSecrets extracts every text of %j", (notify) => {
    const texts: string[] = [];
    JSON.stringify(extractAll(notify), (_key, value: unknown) => {
      if (typeof value === "string" && value !== "https://a.example") texts.push(value);
      return value;
    });

    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) expect(text).toMatch(/^\$\{[A-Z]\w*\}$/);
  });

  test("extractSecrets never reuses a name that the same text, another place or an owner's secret has", () => {
    const part = (id: string, webhook: string) => ({
      root: `executors.${id}`,
      names: [id],
      value: { webhook },
    });
    const fresh = [
      part("a-b", "https://a.example/one${A_B_WEBHOOK_2}"),
      part("a.b", "https://a.example/two"),
    ];
    const existing = [part("a_b", "https://a.example/${A_B_WEBHOOK}")];

    const { values, extracted: lifted } = extractSecrets(
      fresh,
      existing,
      new Set(["A_B_WEBHOOK_3"]),
    );

    expect(values).toEqual([
      { webhook: "https://a.example/${A_B_WEBHOOK_4}${A_B_WEBHOOK_2}" },
      { webhook: "https://a.example/${A_B_WEBHOOK_5}" },
    ]);
    expect(Object.fromEntries(lifted)).toEqual({ A_B_WEBHOOK_4: "one", A_B_WEBHOOK_5: "two" });
  });
});
