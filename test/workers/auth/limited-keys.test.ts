/** A key that is limited to message sources is refused by every route and tool that is not for messages. */
import { describe, expect, it, test } from "vitest";
import { MCP_PATHS } from "../../../src/auth/oauth/resources.ts";
import { ROUTES } from "../../../src/ingress/http/routes.ts";
import { TOOLSETS } from "../../../src/ingress/mcp/toolsets-by-path.ts";
import {
  buildAddressHeader,
  Caller,
  createFreshHousehold,
  expectOkJson,
  readRefusal,
  sendRequest,
} from "../support.ts";

const PATHS = ["msg", "msg/*/outbox", "msg/classify"];
/** Below the rate of one credential. */
const ROUTES_PER_KEY = 50;

const createLimitedKey = async (owner: Caller, paths: readonly string[] = PATHS) => {
  const body = { actor: "reader", role: "agent", paths };
  const created = await expectOkJson(await owner.post("/api/v1/keys", body));
  return { caller: new Caller("reader", created.key as string), created };
};

/** A path with the thread's ref and otherwise any parameter. */
const fillPath = (path: string, ref: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => (name === "ref" ? ref : "x1"));

test("every route that is not for messages refuses a limited key", async () => {
  const { owner, agent } = await createFreshHousehold();
  const ref = await agent.createThread("look at the basil");
  const routes = ROUTES.filter(
    ({ access }) => access !== "messages" && access !== "open" && access !== "operator",
  );
  const answers = new Map<string, string>();

  for (let at = 0; at < routes.length; at += ROUTES_PER_KEY) {
    const { caller } = await createLimitedKey(owner);
    for (const { method, path } of routes.slice(at, at + ROUTES_PER_KEY)) {
      const response = await caller.fetch(fillPath(path, ref), { method: method.toUpperCase() });
      answers.set(`${method} ${path}`, await readRefusal(response));
    }
  }

  expect(answers.size).toBeGreaterThan(80);
  expect([...answers].filter(([, answer]) => answer !== "403 wrong_role")).toEqual([]);
});

test("routes that need no key of a household answer a limited key as they answer a stranger", async () => {
  const { owner } = await createFreshHousehold();
  // The caller is shown to itself, whatever its key may do.
  const routes = ROUTES.filter(
    ({ access, path }) => (access === "open" || access === "operator") && path !== "/api/v1/me",
  );
  const different: string[] = [];

  for (let at = 0; at < routes.length; at += ROUTES_PER_KEY) {
    const { caller } = await createLimitedKey(owner);
    for (const { method, path } of routes.slice(at, at + ROUTES_PER_KEY)) {
      const call = () => ({ method: method.toUpperCase(), headers: buildAddressHeader() });
      const withKey = await caller.fetch(fillPath(path, "x1"), call());
      const without = await sendRequest(fillPath(path, "x1"), call());
      if (withKey.status !== without.status) different.push(`${method} ${path} ${withKey.status}`);
      await Promise.all([withKey.body?.cancel(), without.body?.cancel()]);
    }
  }

  expect(different).toEqual([]);
});

test("the link parameter of a route takes no limited key", async () => {
  const { owner, agent } = await createFreshHousehold();
  const ref = await agent.createThread("look at the basil");
  const { caller } = await createLimitedKey(owner);

  const response = await sendRequest(`/mess/${ref}/live?token=${caller.key}`);

  expect(response.ok).toBe(false);
  await response.body?.cancel();
});

describe("the MCP server", () => {
  it.for(MCP_PATHS.filter((path) => TOOLSETS[path].use !== "messages"))(
    "refuses a limited key at %s, whatever it calls",
    async (path) => {
      const { owner } = await createFreshHousehold();
      const { caller } = await createLimitedKey(owner);
      const calls = ["initialize", "tools/list", "tools/call", "resources/list"].map((method) => ({
        jsonrpc: "2.0",
        id: 1,
        method,
        params: {},
      }));

      for (const call of calls) {
        const response = await caller.post(path, call, { Accept: "application/json" });
        expect(response.status).toBe(403);
        expect(response.headers.get("WWW-Authenticate")).toContain("insufficient_scope");
      }
      for (const method of ["GET", "DELETE"])
        expect((await caller.fetch(path, { method })).status).toBe(403);
    },
  );
});

describe("a limited key", () => {
  it("is created, listed and recorded with its paths", async () => {
    const { owner } = await createFreshHousehold();

    const { created } = await createLimitedKey(owner, ["msg/email/outbox", "msg/email"]);

    const paths = ["msg/email", "msg/email/outbox"];
    expect(created).toMatchObject({ actor: "reader", role: "agent", paths });
    const { keys } = await owner.read("/api/v1/keys");
    expect(keys.find(({ id }: { id: string }) => id === created.id)).toMatchObject({ paths });
    const { entries } = await owner.read("/api/v1/audit");
    expect(entries[0]).toMatchObject({
      action: "key_created",
      target: created.id,
      detail: { paths },
    });
  });

  it.for(["owner", "executor"])("cannot have the role %s", async (role) => {
    const { owner } = await createFreshHousehold();

    const response = await owner.post("/api/v1/keys", { actor: "reader", role, paths: ["msg"] });

    expect(await readRefusal(response)).toBe("400 bad_field");
  });

  it.for([[[]], [["msg/Email"]], [["msg/*"]], [["msg/../x"]], ["msg"], [["msg", 1]]])(
    "is refused with the paths %j",
    async ([paths]) => {
      const { owner } = await createFreshHousehold();

      const response = await owner.post("/api/v1/keys", { actor: "reader", role: "agent", paths });

      expect(response.status).toBe(400);
    },
  );

  it("keeps its limit in a repeated call with the same Idempotency-Key", async () => {
    const { owner } = await createFreshHousehold();
    const create = (paths: string[]) =>
      owner.post(
        "/api/v1/keys",
        { actor: "reader", role: "agent", paths },
        { "Idempotency-Key": "limited" },
      );

    const [first, same, other] = [
      await expectOkJson(await create(["msg/email"])),
      await expectOkJson(await create(["msg/email"])),
      await create(["msg"]),
    ];

    expect(same).toEqual(first);
    expect(await readRefusal(other)).toBe("409 idempotency_conflict");
  });
});
