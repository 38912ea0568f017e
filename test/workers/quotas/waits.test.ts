import { expect, it, vi } from "vitest";
import { createFreshHousehold, readRefusal } from "../support.ts";
import { authorize, createRatedWorker, postJson } from "./rate-support.ts";

const LIMITS = '{"waits_per_credential": 2}';

it("a credential has a number of waiting calls; a further one is refused before an object is called", async () => {
  const { agent, ann } = await createFreshHousehold();
  const ref = await agent.createThread("look at the basil", { requires: ["look"] });
  const worker = createRatedWorker({ limits: LIMITS });
  const wait = (key: string) => worker.fetch(`/mess/${ref}/wait?timeout=20`, authorize(key));
  const first = wait(agent.key);
  const second = wait(agent.key);
  await vi.waitFor(() => expect(worker.countCalls()).toBeGreaterThanOrEqual(2));
  const before = worker.countCalls();

  const refused = await wait(agent.key);
  const tasks = await worker.fetch("/mess?for=me&wait=20", authorize(agent.key));

  expect([refused.headers.get("Retry-After"), await readRefusal(refused)]).toEqual([
    "10",
    "429 too_many",
  ]);
  expect(await readRefusal(tasks)).toBe("429 too_many");
  expect(worker.countCalls()).toBe(before);
  const other = wait(ann.key);
  await agent.appendBlocks(ref, { followup: { message: "by the window" } });
  const ended = await Promise.all([first, second, other]);
  expect(ended.map(({ status }) => status)).toEqual([200, 200, 200]);
  // A slot is free again.
  expect((await worker.fetch(`/mess/${ref}/wait?cursor=0`, authorize(agent.key))).status).toBe(200);
});

it("a waiting tool call beyond the limit gets the refusal as its result", async () => {
  const { agent } = await createFreshHousehold();
  const ref = await agent.createThread("look at the basil", { requires: ["look"] });
  const worker = createRatedWorker({ limits: '{"waits_per_credential": 0}' });
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "mess_wait", arguments: { re: ref, wait_seconds: 5 } },
  };

  const response = await worker.fetch("/mcp", {
    ...postJson(agent.key, call),
    headers: {
      Authorization: `Bearer ${agent.key}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2025-06-18",
    },
  });

  const text = await response.text();
  expect(text).toContain("too_many: waits_per_credential");
  expect(text).toContain("Call again in 10 seconds.");
});
