import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { parseDocument } from "yaml";
import { createApp } from "../../../src/app.ts";
import { ROUTES } from "../../../src/ingress/http/routes.ts";
import {
  type Answered,
  expectOkJson,
  createFreshHousehold,
  readRefusal,
  sendRequest,
} from "../support.ts";

const pathsOf = (method: string): string[] =>
  ROUTES.filter((route) => route.method === method).map(({ path }) => path);

describe("the OpenAPI description", () => {
  it("the OpenAPI description lists exactly the routes that the app serves", async () => {
    const served = createApp()
      .routes.filter(({ method, path }) => method !== "ALL" && path !== "/*")
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);

    const { paths } = await expectOkJson(await sendRequest("/openapi.json"));

    const described = Object.entries(paths as Record<string, object>).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.toSorted()).toEqual([...new Set(served)].toSorted());
    expect(described.length).toBeGreaterThan(25);
  });

  it("the OpenAPI description is version 3.1, with every error code and unique operation names", async () => {
    const description = await expectOkJson(await sendRequest("/openapi.json"));

    const operations = Object.values(description.paths as Record<string, Answered>).flatMap(
      (item) => Object.values(item as Record<string, Answered>),
    );
    expect(description.openapi).toBe("3.1.0");
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { summary, responses } of operations) {
      expect(summary).toMatch(/\w/);
      expect(responses.default).toEqual({ $ref: "#/components/responses/Refusal" });
    }
    const codes = description.components.schemas.Refusal.properties.error.properties.code.enum;
    expect(codes).toContain("already_claimed");
  });

  it("the OpenAPI description has the parameters and keys of the calls that accept them", async () => {
    const { paths } = await expectOkJson(await sendRequest("/openapi.json"));
    const listNames = (operation: Answered): string[] =>
      operation.parameters.map(({ name }: { name: string }) => name);

    expect(listNames(paths["/mess/{ref}/wait"].get)).toEqual([
      "ref",
      "cursor",
      "session",
      "timeout",
    ]);
    expect(listNames(paths["/mess"].get).join(" ")).toBe(
      "state status executor requestor since q limit cursor for wait since_cursor",
    );
    for (const path of pathsOf("post"))
      expect(listNames(paths[path].post)).toContain("Idempotency-Key");
    expect(paths["/api/v1/keys"].post.requestBody.content["application/json"].schema).toMatchObject(
      { type: "object", required: ["actor", "role"] },
    );
  });

  it("the OpenAPI description refers only to schemas that it contains", async () => {
    const text = await (await sendRequest("/openapi.json")).text();
    const description: Answered = JSON.parse(text);

    const refs = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);

    expect(refs.length).toBeGreaterThan(0);
    for (const ref of refs)
      expect(
        ref.split("/").reduce((value: Answered, key) => value?.[key], description),
        ref,
      ).toBeDefined();
  });
});

describe("routes without credentials", () => {
  it("the health check and the start page need no credential", async () => {
    expect(await expectOkJson(await sendRequest("/healthz?probe=1"))).toEqual({ ok: true });
    expect(await expectOkJson(await sendRequest("/"))).toMatchObject({
      description: "/openapi.json",
    });
  });
});

describe("methods", () => {
  const paths = [...new Set(ROUTES.map(({ path }) => path))];
  const fill = (path: string): string => path.replaceAll(/\{\w+\}/g, "x");

  it.each(paths)(
    "methods that %s does not have are refused with those that it has",
    async (path) => {
      const allowed = ROUTES.filter((route) => route.path === path).map(({ method }) => method);

      for (const method of ["PUT", "PATCH", "DELETE", "PROPFIND"]) {
        if (allowed.includes(method.toLowerCase() as "delete")) continue;
        const response = await sendRequest(fill(path), { method });
        expect(await readRefusal(response)).toBe("405 method_not_allowed");
        for (const one of allowed)
          expect(response.headers.get("Allow")).toContain(one.toUpperCase());
      }
    },
  );

  it.each(paths)(
    "OPTIONS lists the methods of %s, needs no key and changes nothing",
    async (path) => {
      const response = await sendRequest(fill(path), { method: "OPTIONS" });

      expect(response.status).toBe(204);
      expect(response.headers.get("Allow")).toContain("OPTIONS");
    },
  );

  it("read-only methods never change a thread", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil", { requires: ["look"] });
    const before = await agent.read(`/mess/${ref}`);

    for (const path of pathsOf("get"))
      for (const method of ["GET", "HEAD", "OPTIONS"]) {
        const query = path.endsWith("/wait") ? "?timeout=0" : "";
        const target = `${path.replace("{ref}", ref).replaceAll(/\{\w+\}/g, "x")}${query}`;
        await (await ann.fetch(target, { method })).arrayBuffer();
      }

    expect(await agent.read(`/mess/${ref}`)).toEqual(before);
  });

  it("HEAD responds as GET does, without the body", async () => {
    const { agent } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil");

    const head = await agent.fetch(`/mess/${ref}`, { method: "HEAD" });

    expect(head.status).toBe(200);
    expect(head.headers.get("Content-Type")).toContain("application/json");
    expect(await head.text()).toBe("");
  });
});

describe("headers of every response", () => {
  it.each(["/", "/healthz", "/mess", "/nothing", "/mess/x/y/z", "/openapi.json"])(
    "a response of %s has headers against scripts, leaks and caching",
    async (path) => {
      const { headers } = await sendRequest(path);

      expect(Object.fromEntries(headers)).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
    },
  );

  it.each([
    ["application/json", "json"],
    ["*/*", "json"],
    ["", "json"],
    ["application/yaml", "yaml"],
    ["text/yaml", "yaml"],
    ["application/*", "json"],
    ["text/html, application/yaml;q=0.5", "yaml"],
    ["application/json;q=0.1, application/yaml", "yaml"],
    ["application/yaml;q=0.5, */*;q=0.1", "yaml"],
    ["application/json;q=0, */*", "yaml"],
  ])("the response to Accept: %j is %s", async (accept, format) => {
    const response = await sendRequest("/healthz", { headers: { Accept: accept } });

    expect(response.headers.get("Content-Type")).toContain(`application/${format}`);
    expect(response.headers.get("Vary")).toBe("Accept");
  });

  it.each(["text/html", "image/png", "application/json;q=0"])(
    "a call with Accept: %s is refused with 406 before it has any effect",
    async (Accept) => {
      const { agent } = await createFreshHousehold();

      const response = await agent.fetch("/mess", {
        method: "POST",
        body: "water the basil",
        headers: { Accept, "Content-Type": "text/plain" },
      });

      expect(await readRefusal(response)).toBe("406 not_acceptable");
      expect(await agent.createThread("count")).toMatch(/-001$/);
    },
  );

  it("a refusal is in YAML if the caller accepts YAML", async () => {
    const response = await sendRequest("/nothing", { headers: { Accept: "application/yaml" } });

    expect(response.status).toBe(404);
    expect(parseDocument(await response.text()).toJS()).toMatchObject({
      error: { code: "not_found", hint: expect.stringContaining("/openapi.json") },
    });
  });
});

describe("a defect", () => {
  it("a defect is a 500 with the request's id, and its log contains no content", async () => {
    const household = await createFreshHousehold();
    const lines: string[] = [];
    const log = vi.spyOn(console, "log").mockImplementation((line: string) => lines.push(line));
    const broken = {
      ...env,
      HOUSEHOLDS: {
        getByName: () => ({
          callFacet: () => Promise.reject(new Error("secret words of a stranger")),
        }),
      },
    } as unknown as Env;

    const response = await createApp().request(
      "/mess",
      { headers: { Authorization: `Bearer mess_${household.id}_${"a".repeat(64)}` } },
      broken,
    );
    log.mockRestore();

    const text = await response.text();
    const id = response.headers.get("X-Request-Id");
    expect(response.status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({ error: { code: "internal" } });
    expect(text).toContain(id);
    expect(text).not.toContain("secret words");
    // Objects of earlier tests may log at the same time.
    expect(lines.filter((line) => line.includes(id!))).toHaveLength(1);
    expect(lines.join("\n")).not.toMatch(/secret words|aaaa/);
  });

  it("a deployment without its secrets responds with a 500", async () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);

    const response = await createApp().request(
      "/mess",
      { headers: { Authorization: "Bearer x" } },
      { ...env, MESS_SECRET: "short" },
    );
    log.mockRestore();

    expect(response.status).toBe(500);
  });
});
