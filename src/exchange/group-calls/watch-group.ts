/** Watches the messages of an AI group that the caller may read. */
import type { Principal } from "../../auth/principal.ts";
import type { Outcome } from "../../mess/errors.ts";
import { refuseGroupNotFound } from "../../mess/groups/refusals.ts";
import { ok } from "../../mess/result.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { withGroup } from "./with-group.ts";

export interface GroupWatch {
  /** The position after which messages are reported; without it, only new ones are. */
  after?: number;
  /** A message as JSON. */
  onMessage: (text: string) => void;
  /** Called when the group closes the socket. */
  onEnd: () => void;
  signal: AbortSignal;
}

/** Reports messages until the signal is aborted. The group's object hibernates between them. */
export const watchGroup = (
  env: ExchangeBindings,
  principal: Principal,
  group_id: string,
  { after, onMessage, onEnd, signal }: GroupWatch,
): Promise<Outcome<true>> =>
  withGroup(env, principal, { group_id }, async ({ group }) => {
    const query = new URLSearchParams({
      viewer: JSON.stringify(principal),
      ...(after === undefined ? {} : { after: String(after) }),
    });
    const response = await group.fetch(
      new Request(`https://group/watch?${query.toString()}`, { headers: { Upgrade: "websocket" } }),
    );
    const socket = response.webSocket;
    if (!socket) return refuseGroupNotFound();
    socket.addEventListener("message", ({ data }) => onMessage(String(data)));
    socket.addEventListener("close", onEnd);
    socket.addEventListener("error", onEnd);
    socket.accept();
    const close = () => socket.close(1_000, "enough");
    if (signal.aborted) close();
    else signal.addEventListener("abort", close);
    return ok(true);
  });
