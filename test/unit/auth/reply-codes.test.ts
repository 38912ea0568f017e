import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  findReplyCodes,
  makeReplyCode,
  readReplyCode,
  buildReplyAddress,
  buildThreadMessageId,
} from "../../../src/auth/links/reply-codes.ts";

const SECRET = "a-secret-for-tests-of-more-than-32-bytes";
const ANN = "ann@example.com";

const code = fc.record({
  household: fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/),
  ref: fc.oneof(
    fc.constantFrom("2031-04-05-006-water-plants", "2031-04-05-1006"),
    fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/),
  ),
});

describe("a reply code", () => {
  it("a reply code resolves to its thread from the address, or from the message id if names are long", async () => {
    await fc.assert(
      fc.asyncProperty(code, async (one) => {
        const text = await makeReplyCode(SECRET, one, ANN);
        const address = buildReplyAddress(text, "mess.test");
        const found = findReplyCodes(
          address,
          `<other@x.test> ${buildThreadMessageId(text, "mess.test")}`,
        );

        expect(address.split("@")[0]?.length).toBeLessThanOrEqual(64);
        expect(await readReplyCode(SECRET, found.at(-1) ?? "", ANN)).toEqual(one);
        expect(found).toHaveLength(address.startsWith("reply@") ? 1 : 2);
      }),
      { numRuns: 100 },
    );
  });

  it("a reply code fits completely into the address for names of usual length", async () => {
    const one = { household: "smith", ref: "2031-04-05-006-water-plants" };

    const address = buildReplyAddress(await makeReplyCode(SECRET, one, ANN), "mess.test");

    expect(address).toMatch(/^reply\+smith_2031-04-05-006-water-plants_[0-9a-z]{16}@mess\.test$/);
  });

  it("a reply code is read in any case, since mail servers change it", async () => {
    const one = { household: "smith", ref: "Old.Ref_1:2" };
    const text = await makeReplyCode(SECRET, one, ANN);

    expect(await readReplyCode(SECRET, text.toUpperCase(), "Ann@Example.COM")).toEqual(one);
  });

  it("a reply code is invalid for another address, with another secret, or with one changed character", async () => {
    await fc.assert(
      fc.asyncProperty(code, fc.nat(), async (one, place) => {
        const text = await makeReplyCode(SECRET, one, ANN);
        const at = place % text.length;
        const changed = `${text.slice(0, at)}${text[at] === "3" ? "4" : "3"}${text.slice(at + 1)}`;

        expect(await readReplyCode(SECRET, text, "eve@example.com")).toBeUndefined();
        expect(await readReplyCode(`${SECRET}x`, text, ANN)).toBeUndefined();
        expect(await readReplyCode(SECRET, changed, ANN)).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });

  it("a reply code is searched for in a limited number of headers", () => {
    const many = Array.from({ length: 500 }, (_, at) => `<a_b${at}_0123456789abcdef@x>`).join(" ");

    expect(findReplyCodes("reply@mess.test", many)).toHaveLength(8);
  });
});
