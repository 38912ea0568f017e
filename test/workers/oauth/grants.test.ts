import { afterEach, describe, expect, it, vi } from "vitest";
import { expectOkJson, createFreshHousehold, type TestHousehold, waitUntil } from "../support.ts";
import {
  callTool,
  Client,
  connectNewClient,
  isOpening,
  openSignedIn,
  readError,
} from "./support.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("a grant", () => {
  it("a grant covers several households, each with its own role", async () => {
    const [villa, cabin, flat] = [
      await createFreshHousehold(),
      await createFreshHousehold(),
      await createFreshHousehold(),
    ];
    const browser = await openSignedIn(
      [villa, "ann", "owner"],
      [cabin, "ben", "executor"],
      [flat, "ann", "owner"],
    );
    const client = await Client.register();

    const { access_token } = await client.tokens(browser, {
      [villa.id]: "agent",
      [cabin.id]: "executor",
    });
    const callToolIn = async ({ id }: TestHousehold) =>
      callTool(access_token, "mess_observe", {
        intent: "look around",
        exchange: id,
        wait_seconds: 0,
      });

    expect(await callToolIn(villa)).toContain("look around");
    expect(await callToolIn(cabin)).toContain("wrong_role");
    expect(await callToolIn(flat)).toMatch(/bad_parameter|exchange/);
    expect((await flat.owner.read("/mess")).threads).toEqual([]);
  });

  it("a grant replaces the person's earlier one for the same client", async () => {
    const [villa, cabin] = [await createFreshHousehold(), await createFreshHousehold()];
    const browser = await openSignedIn([villa, "ann", "owner"], [cabin, "ann", "owner"]);
    const client = await Client.register();
    const first = await client.tokens(browser, { [villa.id]: "owner", [cabin.id]: "owner" });

    const second = await client.tokens(browser, { [villa.id]: "agent" });

    expect([await isOpening(first.access_token), await isOpening(second.access_token)]).toEqual([
      401, 200,
    ]);
    expect((await villa.owner.read("/api/v1/grants")).grants).toMatchObject([{ role: "agent" }]);
    expect((await cabin.owner.read("/api/v1/grants")).grants).toEqual([]);
  });

  it("a grant uses the same member whenever its person connects the client again", async () => {
    const home = await createFreshHousehold();
    const browser = await openSignedIn([home, "ann", "owner"]);
    const actors: string[] = [];
    for (const role of ["agent", "owner"]) {
      await (await Client.register()).tokens(browser, { [home.id]: role });
      const { grants } = await home.owner.read("/api/v1/grants");
      actors.push(grants.at(-1).actor as string);
    }

    expect(actors).toEqual(["ann.claude.ai", "ann.claude.ai"]);
  });

  it("a grant never takes the name of an existing member", async () => {
    const home = await createFreshHousehold();
    await home.addMember("ann.claude.ai", "agent");
    const browser = await openSignedIn([home, "ann", "owner"]);

    await (await Client.register()).tokens(browser, { [home.id]: "agent" });

    const { grants } = await home.owner.read("/api/v1/grants");
    expect(grants).toMatchObject([{ actor: "ann.claude.ai-2" }]);
  });

  it("a grant ends where an owner revokes it, only there, and within 30 seconds", async () => {
    const [villa, cabin] = [await createFreshHousehold(), await createFreshHousehold()];
    const browser = await openSignedIn([villa, "ann", "owner"], [cabin, "ann", "owner"]);
    const client = await Client.register();
    const { access_token, refresh_token } = await client.tokens(browser, {
      [villa.id]: "agent",
      [cabin.id]: "agent",
    });
    const { grants } = await villa.owner.read("/api/v1/grants");

    const revoked = await villa.owner.fetch(`/api/v1/grants/${grants[0].id}`, { method: "DELETE" });
    const refreshed = await expectOkJson(await client.refresh(refresh_token));

    expect(revoked.status).toBe(200);
    for (const token of [access_token, refreshed.access_token as string]) {
      const there = await callTool(token, "mess_observe", { intent: "look", exchange: villa.id });
      const here = await callTool(token, "mess_observe", { intent: "look", wait_seconds: 0 });
      expect([there, here]).toEqual([
        expect.stringContaining("bad_parameter"),
        expect.stringContaining("pending"),
      ]);
    }
    await waitUntil(async () => expect((await cabin.owner.read("/mess")).threads).toHaveLength(2));
    expect((await villa.owner.read("/mess")).threads).toEqual([]);
  });

  it("a grant without any access left is refused, and not refreshed", async () => {
    const { home, client, tokens } = await connectNewClient();
    const { grants } = await home.owner.read("/api/v1/grants");
    await home.owner.fetch(`/api/v1/grants/${grants[0].id}`, { method: "DELETE" });

    expect(await isOpening(tokens.access_token)).toBe(401);
    expect(await readError(await client.refresh(tokens.refresh_token))).toBe("400 invalid_grant");
    expect((await home.owner.read("/api/v1/grants")).grants).toEqual([]);
  });

  it("a grant ends with the person that gave it", async () => {
    const { home, tokens } = await connectNewClient();

    const removed = await home.owner.fetch("/api/v1/people/ann", { method: "DELETE" });

    expect(removed.status).toBe(200);
    expect(await isOpening(tokens.access_token)).toBe(401);
  });

  it("a grant of an executor ends when a config removes the executor", async () => {
    const home = await createFreshHousehold();
    const browser = await openSignedIn([home, "ann"]);
    const { access_token } = await (
      await Client.register()
    ).tokens(browser, { [home.id]: "executor" });
    const before = await isOpening(access_token);
    await expectOkJson(
      await home.owner.postBlocks({ config: { executor: { id: "ann", remove: true } } }),
    );
    vi.setSystemTime(Date.now() + 31_000);

    expect([before, await isOpening(access_token)]).toEqual([200, 401]);
  });

  it("a grant can be seen and revoked only by owners of its household", async () => {
    const { home } = await connectNewClient();
    const { grants } = await home.owner.read("/api/v1/grants");
    const foreign = await createFreshHousehold();
    const path = `/api/v1/grants/${grants[0].id}`;

    const statuses = [
      (await home.agent.fetch("/api/v1/grants")).status,
      (await home.agent.fetch(path, { method: "DELETE" })).status,
      (await foreign.owner.fetch(path, { method: "DELETE" })).status,
    ];

    expect(statuses).toEqual([403, 403, 404]);
    expect(await foreign.owner.read("/api/v1/grants")).toEqual({ grants: [] });
  });
});
