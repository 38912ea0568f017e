import { encode } from "uqr";
import { describe, expect, it } from "vitest";
import { formatPhoneLink } from "../../../scripts/lib/phone-link.ts";

const PUBLIC_LINK = "https://words.trycloudflare.com/r/home_2026-11-22-002_1hrh0vp0fcyfrve0j";

/** The dark and light squares of the printed half blocks, row by row. */
const readSquares = (lines: readonly string[]): boolean[][] =>
  lines.flatMap((line) => [
    Array.from(line, (block) => " ▄".includes(block)),
    Array.from(line, (block) => " ▀".includes(block)),
  ]);

describe("formatPhoneLink", () => {
  it("a public link is followed by its QR code", () => {
    const [link, , ...code] = formatPhoneLink(PUBLIC_LINK, "npm start", false).split("\n");

    expect(link?.trim()).toBe(PUBLIC_LINK);
    const { data } = encode(PUBLIC_LINK, { border: 2 });
    const squares = readSquares(code.map((line) => line.slice(2)));
    expect(squares.slice(0, data.length)).toEqual(data);
  });

  it("the QR code keeps its colors in a terminal with a light background", () => {
    const [, , ...code] = formatPhoneLink(PUBLIC_LINK, "npm start", true).split("\n");

    // oxlint-disable-next-line no-control-regex
    for (const line of code) expect(line).toMatch(/^ {2}\u001B\[97;40m[█▀▄ ]+\u001B\[0m$/);
  });

  it("a link to this machine has no QR code, but the commands that publish it", () => {
    const shown = formatPhoneLink("http://127.0.0.1:8787/sign-in?token=x", "npm start", true);

    expect(shown).not.toMatch(/[█▀▄]/);
    expect(shown).toContain("cloudflared tunnel --url http://127.0.0.1:8787\n");
    expect(shown).toContain("npm start -- --port 8787 --public-origin https://");
  });
});
