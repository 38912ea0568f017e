/** Waits for a new message of a source. Its object hibernates in the meantime. */
import type { Principal } from "../../auth/principal.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { NewSourceMessages, SourceRpc } from "../../contracts/sources.ts";
import { ok } from "../../mess/result.ts";
import { parseSourceSeq } from "../../mess/sources/ids.ts";
import { waitForSocket } from "../wait-for-socket.ts";
import { withWaitSlot } from "../wait-slots.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { withSource } from "./with-source.ts";

/**
 * Returns the id of the first message after the given one as soon as there is one, or none after `timeout` milliseconds.
 * Without `after`, the next message that arrives.
 * @param after id of a message, which may have been deleted
 */
export async function waitForSourceMessage(
  env: ExchangeBindings,
  principal: Principal,
  name: string,
  after: string | undefined,
  timeout: number,
  signal?: AbortSignal,
): Promise<Outcome<{ id?: string }>> {
  const position = after === undefined ? undefined : parseSourceSeq("m", after);
  if (after !== undefined && position === undefined)
    return refuse(
      "bad_parameter",
      "after is not the id of a message",
      "Pass the id of the last message that you know, or leave it out.",
      { path: "after" },
    );
  const waited = await waitForSourceMessages(env, principal, name, position, timeout, signal, 1);
  if (!waited.ok) return waited;
  const [first] = waited.value.messages;
  return ok(first ? { id: first.id } : {});
}

/** Messages of one answer. */
const MAX_MESSAGES = 20;

/**
 * Returns the messages after the position, the oldest first, as soon as there are any, or none after `timeout`
 * milliseconds. Without a position, waits for the next message. The same position gives the same messages again.
 */
export const waitForSourceMessages = (
  env: ExchangeBindings,
  principal: Principal,
  name: string,
  position: number | undefined,
  timeout: number,
  signal?: AbortSignal,
  limit: number = MAX_MESSAGES,
): Promise<Outcome<NewSourceMessages>> =>
  withWaitSlot(env, principal, async () => {
    const listAfter = (after: number | undefined) =>
      withSource(env, principal, name, "read", ({ messages }) => messages.listAfter(after, limit));
    const first = await listAfter(position);
    if (!first.ok || first.value.messages.length > 0 || timeout <= 0) return first;
    const after = first.value.position;
    const opened = await withSource(env, principal, name, "read", async (source) =>
      ok(await openWait(source, after)),
    );
    if (!opened.ok) return opened;
    opened.value?.accept();
    if (opened.value) await waitForSocket(opened.value, timeout, signal);
    // Also checks the access again, which may have ended in the meantime.
    return await listAfter(after);
  });

/** Null where the object does not know the source. */
async function openWait(source: SourceRpc, after: number): Promise<WebSocket | null> {
  const { webSocket } = await source.fetch(
    new Request(`https://source/new?after=${after}`, { headers: { Upgrade: "websocket" } }),
  );
  return webSocket;
}
