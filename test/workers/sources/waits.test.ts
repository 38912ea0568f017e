/** Waiting for a new message of a source. */
import { evictDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { buildIncoming, createSource, TestSource } from "./support.ts";

async function openWait(source: TestSource, after?: number) {
  const query = after === undefined ? "" : `?after=${after}`;
  const response = await source.rpc.fetch(
    new Request(`https://source/new${query}`, { headers: { Upgrade: "websocket" } }),
  );
  const received: string[] = [];
  const socket = response.webSocket;
  const closed = new Promise<number>((resolve) => {
    socket?.addEventListener("close", ({ code }) => resolve(code));
  });
  socket?.addEventListener("message", ({ data }) => {
    received.push(String(data));
  });
  socket?.accept();
  return { status: response.status, received, closed };
}

it("a wait ends with the id of the first message after its position", async () => {
  const source = await createSource();
  await source.receive(buildIncoming(1));
  const [waiting, onward] = [await openWait(source), await openWait(source, 1)];

  const [second] = await source.receive(buildIncoming(2), buildIncoming(3));

  expect(await waiting.closed).toBe(1_000);
  expect(await onward.closed).toBe(1_000);
  expect(waiting.received).toEqual([second]);
  expect(onward.received).toEqual([second]);
});

it("a wait behind an earlier message ends at once", async () => {
  const source = await createSource();
  const [first] = await source.receive(buildIncoming(1), buildIncoming(2));

  const late = await openWait(source, 0);

  await late.closed;
  expect(late.received).toEqual([first]);
});

it("a wait survives that the object leaves the memory", async () => {
  const source = await createSource();
  const waiting = await openWait(source);
  await evictDurableObject(source.getObject());

  const [id] = await source.receive(buildIncoming(1));

  await waiting.closed;
  expect(waiting.received).toEqual([id]);
});

it("a message that was received before wakes nobody", async () => {
  const source = await createSource();
  await source.receive(buildIncoming(1));
  const waiting = await openWait(source);

  await source.receive(buildIncoming(1));
  const [second] = await source.receive(buildIncoming(2));

  await waiting.closed;
  expect(waiting.received).toEqual([second]);
});

it("a source that does not exist refuses a wait; a removed one ends it", async () => {
  const source = await createSource();
  const waiting = await openWait(source);

  await source.rpc.erase({ household: source.household, name: source.name });

  expect(await waiting.closed).toBe(4_404);
  expect((await openWait(new TestSource())).status).toBe(404);
});
