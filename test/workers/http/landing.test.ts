/** Responses to browsers and programs at the start page and at unknown addresses. */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

const get = (path: string, accept?: string): Promise<Response> =>
  exports.default.fetch(
    new Request(
      `https://mess.test${path}`,
      accept === undefined ? {} : { headers: { Accept: accept } },
    ),
  );

describe.each([
  ["/", 200],
  ["/no-such-page", 404],
])("the address %s", (path, status) => {
  it("an address without an API is an HTML page for a browser, with a link to continue", async () => {
    const response = await get(path, BROWSER);

    expect(response.status).toBe(status);
    expect(response.headers.get("Content-Type")).toContain("text/html");
    expect(await response.text()).toMatch(/<h1>[^<]+<\/h1>[^]*<a class="button" href="\//);
  });

  it.each([undefined, "*/*", "application/json", "application/json, text/html"])(
    "an address without an API is JSON for a program that accepts %s",
    async (accept) => {
      const response = await get(path, accept);

      expect(response.status).toBe(status);
      expect(response.headers.get("Content-Type")).toContain("application/json");
      expect(await response.json()).toBeTypeOf("object");
    },
  );
});
