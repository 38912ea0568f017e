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

it("valid keys pass from an address that is blocked for wrong keys, also concurrently, after a config of the owner", async () => {
  const { id, agent, owner } = await createFreshHousehold();
  const worker = createRatedWorker({ address: 0 });
  const headers = { "CF-Connecting-IP": "192.0.2.31" };
  const send = createSender(worker, "192.0.2.31");
  for (const { key } of [agent, owner]) await send(key);
  await send((await generateKey(id)).key);
  const body = "MESS: [{config: {urgency: {defaults: {}}}}]";
  const config = authorize(owner.key, { method: "POST", headers, body });
  expect((await worker.fetch("/mess", config)).status).toBe(200);

  const statuses = await Promise.all([agent, agent, owner].map(({ key }) => send(key)));

  expect(statuses).toEqual([200, 200, 200]);
  expect(await send((await generateKey(id)).key)).toBe(429);
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

it("LIMITS lowers the number of wrong keys that an address may try", async () => {
  const { id } = await createFreshHousehold();
  const worker = createRatedWorker({ limits: '{"attempts_per_address": 2}' });
  const send = createSender(worker, "192.0.2.50");
  const statuses: number[] = [];

  for (let n = 0; n < 4; n++) statuses.push(await send((await generateKey(id)).key));

  expect(statuses).toEqual([401, 401, 401, 429]);
  expect(await createSender(worker, "192.0.2.51")((await generateKey(id)).key)).toBe(401);
});

it("LIMITS counts the wrong keys of each minute apart", async () => {
  const { id } = await createFreshHousehold();
  const worker = createRatedWorker({ limits: '{"attempts_per_address": 1}' });
  const send = createSender(worker, "192.0.2.52");
  const now = Date.now();
  vi.setSystemTime(now);
  await send((await generateKey(id)).key);
  await send((await generateKey(id)).key);
  expect(await send((await generateKey(id)).key)).toBe(429);

  vi.setSystemTime(now + 61_000);

  expect(await send((await generateKey(id)).key)).toBe(401);
  expect(await send((await generateKey(id)).key)).toBe(401);
});

it("null in LIMITS turns the limit of attempts off", async () => {
  const { id } = await createFreshHousehold();
  const worker = createRatedWorker({ address: 0, limits: '{"attempts_per_address": null}' });
  const send = createSender(worker, "192.0.2.53");

  for (let n = 0; n < 4; n++) expect(await send((await generateKey(id)).key)).toBe(401);
});

it("a refusal of an attempt names the number of LIMITS", async () => {
  const worker = createRatedWorker({ limits: '{"attempts_per_address": 1}' });
  const open = () =>
    worker.fetch("/respond/session", {
      method: "POST",
      body: "{}",
      headers: { "CF-Connecting-IP": "192.0.2.54", "Content-Type": "application/json" },
    });
  await open();

  const refused = await open();

  expect(refused.status).toBe(429);
  expect(await refused.text()).toContain("attempts_per_address: at most 1 ");
});
