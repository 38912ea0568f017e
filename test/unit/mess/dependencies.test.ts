import fc from "fast-check";
import { expect, it } from "vitest";
import { findCycle } from "../../../src/mess/routing/dependency-cycles.ts";

const buildGraph = (edges: Record<string, string[]>) => new Map(Object.entries(edges));

it("findCycle finds the cycle without the nodes that only lead to it", () => {
  expect(findCycle(buildGraph({ a: ["b"], b: ["c"], c: ["b"] }))).toEqual(["b", "c"]);
  expect(findCycle(buildGraph({ a: ["a"] }))).toEqual(["a"]);
});

it("findCycle accepts several requests that depend on the same one", () => {
  expect(findCycle(buildGraph({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] }))).toBeUndefined();
});

it("findCycle finds nothing if edges only lead back, and always a closed cycle", () => {
  const chain = fc.array(fc.array(fc.nat(30)), { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(chain, (targets) => {
      const edges = new Map(
        targets.map((list, index) => [
          String(index),
          list.filter((target) => target < index).map(String),
        ]),
      );
      expect(findCycle(edges)).toBeUndefined();
      const last = String(targets.length - 1);
      edges.set(last, ["0"]);
      edges.set("0", [last]);
      const cycle = findCycle(edges)!;
      expect(edges.get(cycle.at(-1)!)).toContain(cycle[0]);
    }),
  );
});
