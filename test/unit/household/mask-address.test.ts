/** The visible part of an address, and the detection of secrets in unknown channels. */
import { describe, expect, test } from "vitest";
import { isAddress, maskAddress } from "../../../src/household/secrets/mask-address.ts";
import { isSecretKey, looksSecret } from "../../../src/household/secrets/secret-keys.ts";

const maskText = (text: string): string | undefined =>
  maskAddress(text, (piece, part) => `<${part} ${piece}>`);

describe("maskAddress", () => {
  test.each([
    ["https://a.example", "https://a.example"],
    ["https://a.example/", "https://a.example/"],
    ["https://a.example/x", "https://a.example/<rest x>"],
    ["HTTPS://A.example:8443/x/y?z#w", "HTTPS://A.example:8443/<rest x/y?z#w>"],
    ["https://a.example?key=1", "https://a.example?<rest key=1>"],
    ["https://a.example#x", "https://a.example#<rest x>"],
    ["https://a.example\\x", "https://a.example\\<rest x>"],
    ["https://ann@a.example/x", "https://<user ann>@a.example/<rest x>"],
    ["https://ann:p@ss@a.example", "https://<user ann:p@ss>@a.example"],
    ["https://@a.example/@x", "https://@a.example/<rest @x>"],
    ["wss://a.example/x\ny", "wss://a.example/<rest x\ny>"],
    ["http://[::1]:80/x", "http://[::1]:80/<rest x>"],
    ["https://a.example/${KEY}", "https://a.example/${KEY}"],
    ["https://a.example/x?k=${KEY}&y=z", "https://a.example/<rest x?k=>${KEY}<rest &y=z>"],
    ["https://${HOST}/x", "https://${HOST}/<rest x>"],
  ])("maskAddress shows only the origin of %j", (text, shown) => {
    expect(maskText(text)).toBe(shown);
  });

  test.each(["a.example/x", "tgram://token/chat", "mailto:ann@example.com", "topic", ""])(
    "maskAddress does not treat %j as a web address",
    (text) => {
      expect(maskText(text)).toBeUndefined();
    },
  );
});

describe("looksSecret", () => {
  test.each([
    "Bearer x",
    "syt_YW5u_QbXvNjRkPzLmAoTsUeWi_1x2y3z",
    "home?access_token=x",
    "X-Auth-Token: x",
    "ann:password@matrix.example",
    "xoxb-1",
  ])("looksSecret detects %j as a secret", (text) => {
    expect(looksSecret(text)).toBe(true);
  });

  test.each(["#home", "@ann:matrix.example", "coo", "tasks of the house", "ann@example.com", ""])(
    "looksSecret does not detect %j as a secret",
    (text) => {
      expect(looksSecret(text)).toBe(false);
    },
  );

  test("looksSecret is fast on long malicious texts, and so is reading addresses", () => {
    const long = 200_000;
    const repeated = ["a:", "key ", "key", "a", ":", "@", "https://@", "bearer "];
    const texts = repeated.flatMap((piece) => {
      const text = piece.repeat(long / piece.length);
      return [text, `https://${text}`, ` ${text}`];
    });

    const begun = performance.now();
    for (const text of texts) if (!looksSecret(text) && isAddress(text)) maskText(text);

    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

describe("isSecretKey", () => {
  test.each(["auth", "bot_token", "apiKey", "apikey", "X-Auth-Token", "headers", "PASSWORD"])(
    "isSecretKey detects %s as the key of a secret",
    (key) => {
      expect(isSecretKey(key)).toBe(true);
    },
  );

  test.each(["url", "tool", "from", "account_sid", "keyword", "author", "tokens_left", "topic"])(
    "isSecretKey does not detect %s as the key of a secret",
    (key) => {
      expect(isSecretKey(key)).toBe(false);
    },
  );
});
