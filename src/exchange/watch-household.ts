/** Hearing of every change in a household that the member may see, as it happens. */
import { householdStub } from "../stubs.ts";
import type { Principal } from "../auth/principal.ts";
import type { ThreadChange } from "../contracts/household.ts";
import type { Stores } from "./with-thread.ts";

/**
 * Calls `tell` for every change until the signal is aborted, and `end` where the household closes first. Changes
 * of one thread that follow each other closely may be told as one.
 */
export async function listen(
  env: Pick<Stores, "HOUSEHOLDS">,
  { household, actor, role, credential }: Principal,
  tell: (change: ThreadChange) => void,
  end: () => void,
  signal: AbortSignal,
): Promise<void> {
  const who = new URLSearchParams({ actor, role, ...(credential ? { credential } : {}) });
  const response = await householdStub(env, household).fetch(
    new Request(`https://household/changes?${who.toString()}`, {
      headers: { Upgrade: "websocket" },
    }),
  );
  const socket = response.webSocket;
  if (!socket) return end();
  socket.accept();
  socket.addEventListener("message", ({ data }) => tell(JSON.parse(String(data)) as ThreadChange));
  socket.addEventListener("close", end);
  socket.addEventListener("error", end);
  signal.addEventListener("abort", () => socket.close(1000, "enough"));
}
