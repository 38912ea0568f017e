import { expect, it } from "vitest";
import { getHmacKey } from "../../../src/auth/hash.ts";

const signText = async (key: CryptoKey): Promise<string> =>
  Buffer.from(await crypto.subtle.sign("HMAC", key, new Uint8Array(8))).toString("hex");

it("tokens of each purpose and secret have a separate key, which is always the same", async () => {
  const uses = [
    ["secret one", "mess link"],
    ["secret one", "mess callback"],
    ["secret two", "mess link"],
  ] as const;
  const signAll = () =>
    Promise.all(uses.map(async ([secret, purpose]) => signText(await getHmacKey(secret, purpose))));

  const [first, again] = [await signAll(), await signAll()];

  expect(new Set(first).size).toBe(uses.length);
  expect(again).toEqual(first);
});
