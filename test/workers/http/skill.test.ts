import { describe, expect, it } from "vitest";
import { ORIGIN, readRefusal, sendRequest } from "../support.ts";

describe("the skill", () => {
  it("the skill is served without a credential as Markdown, with the address of the deployment", async () => {
    const response = await sendRequest("/skill/SKILL.md");

    expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    const text = await response.text();
    expect(text).toMatch(/^---\nname: /);
    expect(text).toContain(`"${ORIGIN}/mess"`);
    expect(text).not.toContain("{origin}");
  });

  it("the skill links to examples that are served beside it", async () => {
    const text = await (await sendRequest("/skill/SKILL.md")).text();
    const links = new Set(Array.from(text.matchAll(/\]\(([^)]*)\)/g), ([, target]) => target));

    expect(links.size).toBeGreaterThan(5);
    for (const link of links) {
      const response = await sendRequest(`/skill/${link}`);
      expect(response.status, link).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/yaml; charset=utf-8");
      expect(await response.text(), link).toContain("MESS:\n");
    }
  });

  it.each([
    ["groups", "/groups", 4],
    ["messages", "/sources", 2],
  ])(
    "the skill for %s is served with its examples beside it",
    async (name, route, exampleCount) => {
      const response = await sendRequest(`/skill/${name}/SKILL.md`);
      const text = await response.text();
      const links = Array.from(text.matchAll(/\]\(([^)]*)\)/g), ([, target]) => target);

      expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
      expect(text).toContain(`${ORIGIN}${route}`);
      expect(text).not.toContain("{origin}");
      expect(links).toHaveLength(exampleCount);
      for (const link of links) {
        const example = await sendRequest(`/skill/${name}/${link}`);
        expect(example.status, link).toBe(200);
        expect(example.headers.get("content-type")).toBe("application/yaml; charset=utf-8");
      }
    },
  );

  it("the skill is served for any accepted formats", async () => {
    const response = await sendRequest("/skill/SKILL.md", { headers: { Accept: "text/markdown" } });

    expect(response.status).toBe(200);
  });

  it("the start page contains the address of the skill", async () => {
    const { skill } = await (await sendRequest("/")).json<{ skill: string }>();

    expect((await sendRequest(skill, { method: "HEAD" })).status).toBe(200);
  });

  it.each(["nothing.yaml", "SKILL.md", "..%2fSKILL.md", "constructor"])(
    "the skill has no example named %s",
    async (name) => {
      expect(await readRefusal(await sendRequest(`/skill/examples/${name}`))).toBe("404 not_found");
    },
  );

  it("the skill for groups has no examples of the other skill", async () => {
    const response = await sendRequest("/skill/groups/examples/batch.yaml");

    expect(await readRefusal(response)).toBe("404 not_found");
  });
});
