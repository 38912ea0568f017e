import { defined } from "../../../../src/mess/defined.ts";
import { describe, expect, it } from "vitest";
import {
  parseSlackEvent,
  parseSlackTap,
  toPlainText,
} from "../../../../src/channels/slack/receive.ts";
import { isFromSlack } from "../../../../src/channels/slack/verify.ts";
import { createSeededRandom } from "../../../support/generators/random.ts";
import { signSlack } from "../../../support/channels/slack-calls.ts";

const NOW = Date.parse("2031-04-05T10:00:00Z");
const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const encode = (text: string) => new TextEncoder().encode(text);

describe("Slack's signature", () => {
  const timestamp = Math.floor(NOW / 1_000);
  const buildHeaders = (given: { timestamp?: number | string; signature?: string }) =>
    new Headers({
      ...(given.timestamp === undefined
        ? {}
        : { "X-Slack-Request-Timestamp": String(given.timestamp) }),
      ...defined({ "X-Slack-Signature": given.signature }),
    });

  it("Slack's signature of its documented example is accepted", async () => {
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const signature = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
    const headers = buildHeaders({ timestamp: 1_531_420_618, signature });

    expect(await isFromSlack(SECRET, headers, encode(body), 1_531_420_618_000)).toBe(true);
    expect(await isFromSlack(SECRET, headers, encode(body), NOW)).toBe(false);
  });

  it("Slack's signature is accepted within five minutes, before and after", async () => {
    const body = "{}";
    for (const [seconds, good] of [
      [-301, false],
      [-300, true],
      [300, true],
      [301, false],
    ] as const) {
      const at = timestamp + seconds;
      const headers = buildHeaders({
        timestamp: at,
        signature: await signSlack(SECRET, at, body),
      });
      expect(await isFromSlack(SECRET, headers, encode(body), NOW)).toBe(good);
    }
  });

  it("none of 2,000 forged requests has Slack's signature", async () => {
    const seed = 31;
    const random = createSeededRandom(seed);
    const body = '{"type":"event_callback","event":{"text":"1"}}';
    const signature = await signSlack(SECRET, timestamp, body);
    const good = buildHeaders({ timestamp, signature });
    expect(await isFromSlack(SECRET, good, encode(body), NOW)).toBe(true);
    const flipCharacter = (text: string): string => {
      const at = random.pickBetween(0, text.length - 1);
      const other = String.fromCharCode(text.charCodeAt(at) ^ (1 << random.pickBetween(0, 4)));
      return text.slice(0, at) + other + text.slice(at + 1);
    };
    const forgeries: (() => Promise<[Headers, string]>)[] = [
      async () => [good, flipCharacter(body)],
      async () => [good, body + " ".repeat(random.pickBetween(1, 9))],
      async () => [good, body.slice(0, -random.pickBetween(1, 9))],
      async () => [
        buildHeaders({ timestamp: timestamp + random.pickBetween(1, 300), signature }),
        body,
      ],
      async () => [buildHeaders({ timestamp: `0${timestamp}`, signature }), body],
      async () => [buildHeaders({ timestamp, signature: `v1${signature.slice(2)}` }), body],
      async () => [buildHeaders({ timestamp, signature: signature.toUpperCase() }), body],
      async () => [
        buildHeaders({ timestamp, signature: signature.slice(0, -random.pickBetween(1, 60)) }),
        body,
      ],
      async () => [buildHeaders({ timestamp }), body],
      async () => [buildHeaders({ signature }), body],
      async () => {
        const secret = `${SECRET}${random.next()}`;
        return [
          buildHeaders({ timestamp, signature: await signSlack(secret, timestamp, body) }),
          body,
        ];
      },
    ];

    for (let count = 0; count < 2_000; count++) {
      const [headers, sent] = await forgeries[count % forgeries.length]!();
      const taken = await isFromSlack(SECRET, headers, encode(sent), NOW);
      expect(taken, `seed ${seed}, forgery ${count}`).toBe(false);
    }
  });
});

describe("text from Slack", () => {
  it.each([
    ["two &lt;eggs&gt; &amp;amp; milk", "two <eggs> &amp; milk"],
    ["see <https://example.com/a?b=1&amp;c=2>", "see https://example.com/a?b=1&c=2"],
    ["see <https://example.com|the list>", "see the list (https://example.com)"],
    ["<http://example.com|example.com>", "http://example.com"],
    ["<mailto:ann@example.com|ann@example.com>", "ann@example.com"],
    ["<@U04BEN> in <#C1|kitchen>, <!here>", "@U04BEN in #kitchen, @here"],
    ["<!subteam^S1|@family>", "@family"],
    [":+1::skin-tone-4:", "👍"],
    [":white_check_mark: it is :unknown_sign:", "✅ it is :unknown_sign:"],
    ["at 10:30:15 sharp", "at 10:30:15 sharp"],
  ])("text from Slack is decoded as typed: %s", (sent, typed) => {
    expect(toPlainText(sent)).toBe(typed);
  });
});

describe("payloads from Slack without an action", () => {
  it.each([
    null,
    7,
    "x",
    [],
    {},
    { type: "event_callback" },
    { type: "block_actions", actions: [] },
  ])("the Slack payload %j becomes no event", (payload) => {
    expect(parseSlackEvent(payload)).toBeUndefined();
    expect(parseSlackTap(payload, "smith")).toBeUndefined();
  });
});
