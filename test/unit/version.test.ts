import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SOFTWARE_VERSION } from "../../src/version.ts";

it("the version that the exchange reports is that of its package", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

  expect(SOFTWARE_VERSION).toBe(version);
});
