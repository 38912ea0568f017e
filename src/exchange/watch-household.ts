/** Watches the changes in a household that the member may see. */
import { getHouseholdStub } from "../stubs.ts";
import type { Principal } from "../auth/principal.ts";
import type { ThreadChange } from "../contracts/events.ts";
import type { ExchangeBindings } from "./with-thread.ts";

/**
 * Calls `onChange` for every change until the signal is aborted, and `onEnd` if the household closes the connection.
 * Changes of one thread in quick succession may be reported as one.
 */
export async function watchHousehold(
  env: Pick<ExchangeBindings, "HOUSEHOLDS">,
  { household, actor, role, credential }: Principal,
  onChange: (change: ThreadChange) => void,
  onEnd: () => void,
  signal: AbortSignal,
): Promise<void> {
  const query = new URLSearchParams({ actor, role, ...(credential ? { credential } : {}) });
  const response = await getHouseholdStub(env, household).fetch(
    new Request(`https://household/changes?${query.toString()}`, {
      headers: { Upgrade: "websocket" },
    }),
  );
  const socket = response.webSocket;
  if (!socket) return onEnd();
  socket.accept();
  socket.addEventListener("message", ({ data }) =>
    onChange(JSON.parse(String(data)) as ThreadChange),
  );
  socket.addEventListener("close", onEnd);
  socket.addEventListener("error", onEnd);
  signal.addEventListener("abort", () => socket.close(1000, "enough"));
}
