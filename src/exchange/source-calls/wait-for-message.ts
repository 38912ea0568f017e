/** Waits for a new message of a source. Its object hibernates in the meantime. */
import type { Principal } from "../../auth/principal.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
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
  return await withWaitSlot(env, principal, () =>
    withSource(env, principal, name, "read", async (source) => {
      const query = position === undefined ? "" : `?after=${position}`;
      const response = await source.fetch(
        new Request(`https://source/new${query}`, { headers: { Upgrade: "websocket" } }),
      );
      const { webSocket: socket } = response;
      // The household knows the source, but its object has not received the record yet: nothing can arrive.
      if (!socket) return ok({});
      let id: string | undefined;
      socket.addEventListener("message", ({ data }) => {
        id = String(data);
      });
      socket.accept();
      await waitForSocket(socket, timeout, signal);
      // The access may have ended in the meantime.
      return await withSource(env, principal, name, "read", async () =>
        ok(id === undefined ? {} : { id }),
      );
    }),
  );
}
