/** Writing the messages of a source to the index in D1. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import {
  searchSourceRows,
  type SourceMessageFilter,
  writeSourceRows,
} from "../../../src/partitions/source-messages.ts";
import { unwrap } from "../outcomes.ts";
import { waitUntil } from "../support.ts";
import { buildIncoming, createSource, type TestSource } from "./support.ts";

const listIndexed = async (
  { household, name }: TestSource,
  filter: Partial<SourceMessageFilter> = {},
): Promise<string[]> => {
  const query = { sources: [name], limit: 200, ...filter };
  return unwrap(await searchSourceRows(env.INDEX, household, query)).rows.map(
    ({ message }) => message,
  );
};

it("messages are in the index a moment later, and leave it when they are deleted", async () => {
  const source = await createSource();
  const [first, second] = await source.receive(buildIncoming(1), buildIncoming(2));

  await waitUntil(async () => expect(await listIndexed(source)).toEqual([second, first]));
  await source.rpc.messages.remove(first!);

  await waitUntil(async () => expect(await listIndexed(source)).toEqual([second]));
});

it("an archived message is found by its new status", async () => {
  const source = await createSource();
  const [id] = await source.receive(buildIncoming(1));

  await source.rpc.messages.mark(id!, "archive");

  await waitUntil(async () =>
    expect(await listIndexed(source, { status: "archived" })).toEqual([id]),
  );
  expect(await listIndexed(source, { status: "new" })).toEqual([]);
});

it("more messages than one batch are indexed", async () => {
  const source = await createSource();
  const messages = Array.from({ length: 130 }, (_, index) => buildIncoming(index));

  const ids = await source.receive(...messages);

  await waitUntil(async () => expect(await listIndexed(source)).toEqual(ids.toReversed()));
});

it("while D1 is down, messages are received; they are indexed when it is back", async () => {
  const source = await createSource();
  const batch = vi.spyOn(env.INDEX, "batch").mockRejectedValue(new Error("D1 is down"));

  const [id] = await source.receive(buildIncoming(1));
  await waitUntil(async () => expect(batch).toHaveBeenCalled());
  expect(await listIndexed(source)).toEqual([]);
  batch.mockRestore();

  await waitUntil(async () => {
    await runDurableObjectAlarm(source.getObject());
    expect(await listIndexed(source)).toEqual([id]);
  });
});

it("a rebuild writes all messages again, and deletes rows without a message", async () => {
  const source = await createSource();
  const messages = Array.from({ length: 70 }, (_, index) => buildIncoming(index));
  const ids = await source.receive(...messages);
  await source.rpc.messages.remove(ids[3]!);
  const kept = ids.filter((_, index) => index !== 3).toReversed();
  await waitUntil(async () => expect(await listIndexed(source)).toEqual(kept));
  const { household, name } = source;
  const row = { sender: "a@b.test", sender_name: null, subject: null, tier: null, at: 1 } as const;
  const stale = { ...row, status: "new", excerpt: "", body: "stale" } as const;
  await env.INDEX.prepare("DELETE FROM source_messages WHERE household = ? AND seq > 20")
    .bind(household)
    .run();
  await writeSourceRows(
    env.INDEX,
    { household, source: name },
    [
      { ...stale, seq: 4, id: "m_stale" },
      { ...stale, seq: 900, id: "m_later" },
    ],
    [],
  );

  await source.rpc.messages.reindex();

  await waitUntil(async () => expect(await listIndexed(source)).toEqual(kept));
});

it("a removed source leaves no row", async () => {
  const source = await createSource();
  const [id] = await source.receive(buildIncoming(1));
  await waitUntil(async () => expect(await listIndexed(source)).toEqual([id]));

  await source.rpc.erase({ household: source.household, name: source.name });

  expect(await listIndexed(source)).toEqual([]);
});
