import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
it("runs", () => {
  expect(env.THREADS).toBeDefined();
});
