import { afterEach, expect, it, vi } from "vitest";
import { generateKey } from "../../../src/auth/api-keys.ts";
import { createFreshHousehold } from "../support.ts";
import { authorize, createRatedWorker, type RatedWorker } from "./rate-support.ts";

/** Returns a function that sends a call with a key from the address, and returns its status. */
const createSender = (worker: RatedWorker, address: string) => async (key: string) => {
  const init = authorize(key, { headers: { "CF-Connecting-IP": address } });
  return (await worker.fetch("/mess", init)).status;
};

afterEach(() => {
  vi.useRealTimers();
});

it("a valid key passes after its time in the cache, although its address is blocked for wrong keys", async () => {
  const { id, agent } = await createFreshHousehold();
  const worker = createRatedWorker({ address: 0 });
  const send = createSender(worker, "192.0.2.30");
  const now = Date.now();
  vi.setSystemTime(now);
  expect(await send(agent.key)).toBe(200);
  vi.setSystemTime(now + 31_000);
  await send((await generateKey(id)).key);

  expect(await send((await generateKey(id)).key)).toBe(429);
  expect(await send(agent.key)).toBe(200);
});

it("a device that repeats one wrong key is refused without a call of the household, and does not block its home", async () => {
  const { id, ann } = await createFreshHousehold();
  const worker = createRatedWorker({ address: 1 });
  const send = createSender(worker, "192.0.2.40");
  const { key } = await generateKey(id);
  for (let n = 0; n < 3; n++) expect(await send(key)).toBe(401);
  const before = worker.countCalls();

  for (let n = 0; n < 20; n++) expect(await send(key)).toBe(429);

  expect(worker.countCalls()).toBe(before);
  expect(await send(ann.key)).toBe(200);
});
