import { describe, expect, it } from "vitest";
import { ROUTES } from "../../../src/ingress/http/routes.ts";
import {
  Caller,
  createFreshHousehold,
  OPERATOR_KEY,
  readRefusal,
  sendRequest,
} from "../support.ts";

/** Everything that a caller can see of a response, except for the request's id. */
async function describeResponse(response: Response): Promise<string> {
  const headers = Array.from(response.headers, ([name, value]) => `${name}: ${value}`)
    .filter((line) => !line.startsWith("x-request-id: "))
    .toSorted();
  return [response.status, ...headers, await response.text()].join("\n");
}

const fill = (path: string, ref: string, exchange = "no-such-household"): string =>
  path
    .replace("{exchange}", exchange)
    .replace("{ref}", ref)
    .replace("{message}", "response-001")
    .replace("{name}", "att-001-image-shelf.png")
    .replace("{id}", crypto.randomUUID());

const guarded = ROUTES.filter(({ access }) => access !== "open");
const ofThreads = ROUTES.filter(({ path }) => path.includes("{ref}"));
const buildLabel = ({ method, path }: { method: string; path: string }) =>
  `${method.toUpperCase()} ${path}`;

/** A body that every route would accept up to its own checks. */
const call = (method: string): RequestInit =>
  method === "post" || method === "patch"
    ? {
        method: method.toUpperCase(),
        body: '{"executor": "ann", "message": "Soon.", "MESS": [{"status": {"code": "claimed"}}]}',
        headers: { "Content-Type": "application/json" },
      }
    : { method: method.toUpperCase() };

describe("an invalid credential", () => {
  it.each(guarded.map((route) => [buildLabel(route), route] as const))(
    "an invalid credential gets the same 401 for every reason: %s",
    async (_label, { method, path }) => {
      const { id, owner, agent } = await createFreshHousehold();
      const ref = await agent.createThread("look at the basil");
      const secret = "0".repeat(64);
      const credentials: (string | undefined)[] = [
        undefined,
        "",
        "Bearer",
        "Bearer ",
        "Basic b3duZXI6b3duZXI=",
        owner.key,
        `Bearer mess_${id}_${secret}`,
        `Bearer mess_no-such-household_${secret}`,
        `Bearer mess_${id}_${secret}0`,
        `Bearer mess__${secret}`,
        `Bearer mess_${id.toUpperCase()}_${secret}`,
        `Bearer ${owner.key.slice(0, -1)}`,
        `Bearer ${owner.key} ${owner.key}`,
        `Bearer ${owner.key.replace(id, "no-such-household")}`,
        "Bearer a.b.c",
        `Bearer ${"x".repeat(5_000)}`,
      ];

      const answers = new Set<string>();
      for (const credential of credentials) {
        const init = call(method);
        const headers = new Headers(init.headers);
        if (credential !== undefined) headers.set("Authorization", credential);
        answers.add(
          await describeResponse(await sendRequest(fill(path, ref), { ...init, headers })),
        );
      }

      expect(answers.size).toBe(1);
      const [answer] = answers;
      expect(answer).toMatch(/^401\n/);
      expect(answer).toContain('\nwww-authenticate: Bearer realm="mess"\n');
    },
  );

  it("any key other than the operator's is refused where the operator is required", async () => {
    const { owner } = await createFreshHousehold();

    expect(await readRefusal(await owner.post("/api/v1/households", { id: "x" }))).toBe(
      "401 unauthenticated",
    );
  });

  it("the operator's key is refused everywhere else", async () => {
    const operator = new Caller("operator", OPERATOR_KEY);

    for (const { method, path, access } of guarded)
      if (access !== "operator")
        expect((await operator.fetch(fill(path, "x"), call(method))).status).toBe(401);
  });
});

describe("a thread of another member", () => {
  it.each(ofThreads.map((route) => [buildLabel(route), route] as const))(
    "a thread of another member gets the same 404 as one that does not exist: %s",
    async (_label, { method, path }) => {
      const mine = await createFreshHousehold();
      const foreign = await createFreshHousehold();
      const hidden = await mine.agent.createThread("vacuum the hall", {
        requires: ["vacuum-floor"],
      });
      await foreign.agent.createThread("water the mint");
      const theirs = await foreign.agent.createThread("water the basil", { id: "theirs" });

      const answers = new Set<string>();
      // Refs that are hidden from ben, of another household, never created, or malformed.
      for (const ref of [
        hidden,
        theirs,
        "theirs",
        "2020-01-01-001",
        "no-such-id",
        "last",
        "..%2f..%2fx",
        "%00",
        "%ff",
        "a b",
        "x".repeat(400),
      ])
        answers.add(
          await describeResponse(await mine.ben.fetch(fill(path, ref, mine.id), call(method))),
        );

      expect([...answers].map((answer) => answer.slice(0, 500))).toHaveLength(1);
      expect([...answers][0]).toMatch(/^404\n/);
    },
  );
});

describe("roles", () => {
  it("the role of an owner is required by every route whose table entry says so", async () => {
    const { agent, ann } = await createFreshHousehold();

    for (const { method, path, access } of guarded)
      if (access === "owner")
        for (const caller of [agent, ann])
          expect(await readRefusal(await caller.fetch(fill(path, "x"), call(method)))).toBe(
            "403 wrong_role",
          );
  });

  it("a role in a body has no effect", async () => {
    const { agent, ann } = await createFreshHousehold();
    const ref = await agent.createThread("look at the basil", { requires: ["look"] });

    await ann.postBlocks({ status: { re: ref, code: "claimed", executor: "robo" }, from: "robo" });

    const { envelope } = await agent.read(`/mess/${ref}`);
    expect(envelope.executor).not.toBe("robo");
  });
});

describe("fifty executors that claim concurrently", () => {
  it("of fifty executors that claim concurrently one succeeds, and the others are told which", async () => {
    const { owner, agent, addMember } = await createFreshHousehold();
    const names = Array.from({ length: 50 }, (_, index) => `runner-${index + 1}`);
    const runners: Caller[] = [];
    for (const name of names) runners.push(await addMember(name, "executor"));
    const configs = names.map((id) => ({ config: { executor: { id, capabilities: ["run"] } } }));
    expect((await owner.postBlocks(...configs)).status).toBe(200);
    const ref = await agent.createThread("run to the post office", { requires: ["run"] });

    const answers = await Promise.all(
      runners.map((runner) => runner.postBlocks({ status: { re: ref, code: "claimed" } })),
    );

    const { envelope } = await agent.read(`/mess/${ref}`);
    const losers = answers.filter(({ status }) => status === 409);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(losers).toHaveLength(49);
    for (const loser of losers) {
      const { error } = await loser.json<{ error: { code: string; message: string } }>();
      expect(error.code).toBe("already_claimed");
      expect(error.message).toContain(envelope.executor);
    }
    expect(runners[answers.findIndex(({ status }) => status === 200)]?.actor).toBe(
      envelope.executor,
    );
  });
});
