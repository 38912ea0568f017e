import { expect, it } from "vitest";
import { freshHome, opened, request } from "./support.ts";

it("gives out one serial after another", async () => {
  const home = await freshHome();
  const threads = await opened(home, [request({ id: "Basil" }), request()]);
  expect(threads.map(({ ref }) => ref.slice(11))).toEqual(["001-basil", "002"]);
});
