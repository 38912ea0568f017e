import { describe, expect, it } from "vitest";
import { getCallerAddress } from "../../../src/auth/rates/caller-address.ts";
import { generateKey } from "../../../src/auth/api-keys.ts";
import { QUOTAS } from "../../../src/mess/quotas.ts";
import { createFreshHousehold, countThreads, expectOkJson, readRefusal } from "../support.ts";
import { authorize, createRatedWorker, postJson } from "./rate-support.ts";

const REQUEST = { MESS: [{ request: { intent: "water the plants" } }] };

describe("the rate of a credential", () => {
  it("refused requests call no object and leave no trace", async () => {
    const { agent } = await createFreshHousehold();
    const worker = createRatedWorker({ credential: 2 });
    for (let n = 0; n < 2; n++)
      await expectOkJson(await worker.fetch("/mess", postJson(agent.key, REQUEST)));
    const before = worker.countCalls();

    const refused = await worker.fetch("/mess", postJson(agent.key, REQUEST));

    expect(refused.headers.get("Retry-After")).toBe("10");
    const { error } = await refused.json<{ error: Record<string, unknown> }>();
    expect([refused.status, error]).toEqual([
      429,
      expect.objectContaining({
        code: "rate_limited",
        reason: "requests_per_credential",
        retry_after: 10,
        hint: QUOTAS.requests_per_credential.hint,
      }),
    ]);
    for (let n = 0; n < 50; n++) await worker.fetch("/mess", postJson(agent.key, REQUEST));
    expect(worker.countCalls()).toBe(before);
    expect(await countThreads(agent)).toBe(2);
  });

  it("a key that sends too much does not use up the requests of the other keys", async () => {
    const { agent, owner } = await createFreshHousehold();
    const worker = createRatedWorker({ credential: 3, household: 6 });
    for (let n = 0; n < 20; n++) await worker.fetch("/mess", authorize(agent.key));

    const other = await worker.fetch("/mess", authorize(owner.key));

    expect(other.status).toBe(200);
  });

  it("all keys of a household together are limited", async () => {
    const { agent, owner } = await createFreshHousehold();
    const worker = createRatedWorker({ credential: 3, household: 4 });
    for (let n = 0; n < 3; n++) await worker.fetch("/mess", authorize(agent.key));
    await worker.fetch("/mess", authorize(owner.key));

    const refused = await worker.fetch("/mess", authorize(owner.key));

    expect(await readRefusal(refused)).toBe("429 rate_limited");
  });

  it("each message of a call counts", async () => {
    const { agent } = await createFreshHousehold();
    const first = await agent.createThread("water the plants");
    const second = await agent.createThread("feed the cat");
    const worker = createRatedWorker({ credential: 3 });
    const notes = [first, second, first, second].map((re) => ({ followup: { re, message: "x" } }));
    const many = { MESS: [...notes, { followup: { re: "last", message: "y" } }] };

    const refused = await worker.fetch("/mess", postJson(agent.key, many));

    // One for the call and one for each further thread that the call appends to.
    expect(refused.status).toBe(200);
    expect(await readRefusal(await worker.fetch("/mess", authorize(agent.key)))).toBe(
      "429 rate_limited",
    );
  });

  it("a tool call beyond the rate gets the refusal as its result, with the time to wait", async () => {
    const { agent } = await createFreshHousehold();
    const worker = createRatedWorker({ credential: 0 });
    const callTool = (method: string) =>
      worker.fetch("/mcp", {
        ...postJson(agent.key, { jsonrpc: "2.0", id: 7, method, params: { name: "mess_status" } }),
      });

    const called = await callTool("tools/call");
    const listed = await callTool("tools/list");

    expect([called.status, await called.json()]).toEqual([
      200,
      {
        jsonrpc: "2.0",
        id: 7,
        result: {
          isError: true,
          content: [
            { type: "text", text: expect.stringMatching(/^rate_limited: .* 10 seconds\.$/) },
          ],
        },
      },
    ]);
    expect([listed.status, listed.headers.get("Retry-After")]).toEqual([429, "10"]);
  });

  it("a link has a rate of its own", async () => {
    const { agent, ann, owner } = await createFreshHousehold();
    const ref = await agent.createThread("take a photo", { requires: ["take-photo"] });
    const { url } = await expectOkJson(
      await owner.post(`/mess/${ref}/links`, { executor: ann.actor, expires: "1h" }),
    );
    const token = new URL(String(url)).searchParams.get("token") ?? "";
    const worker = createRatedWorker({ credential: 1 });
    const read = () => worker.fetch(`/mess/${ref}`, authorize(token));

    expect((await read()).status).toBe(200);
    expect(await readRefusal(await read())).toBe("429 rate_limited");
    expect((await worker.fetch(`/mess/${ref}`, authorize(ann.key))).status).toBe(200);
  });

  it("links that are revoked do not use up the requests of the household", async () => {
    const { agent, ann, owner } = await createFreshHousehold();
    const ref = await agent.createThread("take a photo", { requires: ["take-photo"] });
    const { url } = await expectOkJson(
      await owner.post(`/mess/${ref}/links`, { executor: ann.actor, expires: "1h" }),
    );
    const token = new URL(String(url)).searchParams.get("token") ?? "";
    await expectOkJson(await owner.fetch(`/mess/${ref}/links`, { method: "DELETE" }));
    const worker = createRatedWorker({ household: 2 });
    const read = (bearer: string) => worker.fetch(`/mess/${ref}`, authorize(bearer));

    expect(await readRefusal(await read(token))).toBe("410 link_dead");
    for (let n = 0; n < 5; n++) await read(token);

    expect(await readRefusal(await read(token))).toBe("429 rate_limited");
    expect((await read(agent.key)).status).toBe(200);
  });
});

describe("attempts with wrong keys", () => {
  const from = (address: string) => ({ headers: { "CF-Connecting-IP": address } });

  it("too many wrong keys from an address are refused without a call of the household", async () => {
    const { id } = await createFreshHousehold();
    const worker = createRatedWorker({ address: 3 });
    const attempt = async () =>
      await worker.fetch("/mess", authorize((await generateKey(id)).key, from("192.0.2.10")));
    for (let n = 0; n < 4; n++)
      expect(await readRefusal(await attempt())).toBe("401 unauthenticated");
    const before = worker.countCalls();

    const refused = await attempt();

    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(50);
    expect(await readRefusal(refused)).toBe("429 rate_limited");
    expect(worker.countCalls()).toBe(before);
  });

  it("wrong keys lock nobody out: neither other addresses nor keys that were valid before", async () => {
    const { id, agent, ann } = await createFreshHousehold();
    const worker = createRatedWorker({ address: 0 });
    const send = async (key: string, address: string) =>
      (await worker.fetch("/mess", authorize(key, from(address)))).status;
    expect(await send(agent.key, "192.0.2.20")).toBe(200);
    await send((await generateKey(id)).key, "192.0.2.20");

    expect(await send((await generateKey(id)).key, "192.0.2.20")).toBe(429);
    expect(await send(agent.key, "192.0.2.20")).toBe(200);
    expect(await send(ann.key, "192.0.2.21")).toBe(200);
  });

  it.each([
    ["2001:db8:1:2:a:b:c:d", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["192.0.2.7", "192.0.2.7"],
  ])("the address %s is counted as %s", (address, counted) => {
    expect(getCallerAddress(new Request("https://mess.test", from(address)))).toBe(counted);
  });
});
