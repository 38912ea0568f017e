import { describe, expect, it } from "vitest";
import { deriveSealingKey, openSecret, sealSecret } from "../../../src/auth/sealed-secrets.ts";

const SECRET = "a-worker-secret-of-at-least-32-bytes";

describe("a sealed secret", () => {
  it("a sealed secret opens under its own household and name", async () => {
    const key = await deriveSealingKey(SECRET, "villa");
    const sealed = await sealSecret(key, "villa", "SLACK", "canary");

    expect(await openSecret(key, "villa", "SLACK", sealed)).toBe("canary");
  });

  it.each([
    ["another name", "villa", "TELEGRAM"],
    ["another household", "quay", "SLACK"],
  ])(
    "a sealed secret does not open under %s, even with its key",
    async (_what, household, name) => {
      const key = await deriveSealingKey(SECRET, "villa");
      const sealed = await sealSecret(key, "villa", "SLACK", "canary");

      expect(await openSecret(key, household, name, sealed)).toBeUndefined();
    },
  );

  it("two households have different keys", async () => {
    const sealed = await sealSecret(
      await deriveSealingKey(SECRET, "villa"),
      "villa",
      "SLACK",
      "canary",
    );

    const other = await deriveSealingKey(SECRET, "quay");
    expect(await openSecret(other, "villa", "SLACK", sealed)).toBeUndefined();
  });
});
