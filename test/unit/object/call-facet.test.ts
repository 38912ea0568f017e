import { describe, expect, it } from "vitest";
import { callFacet } from "../../../src/object/call-facet.ts";

class Greetings {
  readonly #greeting = "hello";
  field = () => "a function in a field";

  greet(name: string): string {
    return `${this.#greeting} ${name}`;
  }

  async fail(): Promise<never> {
    throw new Error("no greeting today");
  }

  get length(): () => number {
    return () => 1;
  }
}

const facets = { greetings: new Greetings() };

describe("a call of a facet", () => {
  it("a call of a facet calls the method with its arguments", async () => {
    expect(await callFacet(facets, "greetings", "greet", ["Ann"])).toBe("hello Ann");
  });

  it("a call of a facet passes on the exception of a method", async () => {
    await expect(callFacet(facets, "greetings", "fail", [])).rejects.toThrow("no greeting today");
  });

  it.each([
    ["greetings", "wave"],
    ["greetings", "constructor"],
    ["greetings", "toString"],
    ["greetings", "__proto__"],
    ["greetings", "field"],
    ["greetings", "length"],
    ["farewells", "greet"],
    ["constructor", "assign"],
    ["__proto__", "toString"],
  ])("%s.%s is not a method that can be called", async (facet, method) => {
    await expect(callFacet(facets, facet, method, [])).rejects.toThrow(TypeError);
  });
});
