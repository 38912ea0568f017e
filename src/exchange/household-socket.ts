/** Opens a WebSocket to a household's object, which hibernates while nothing is sent. */
import type { Principal } from "../auth/principal.ts";
import { getHouseholdStub } from "../stubs.ts";
import type { ExchangeBindings } from "./with-thread.ts";

interface SocketEvents {
  onMessage: (text: string) => void;
  /** Called when the household closes the socket, or did not open it. */
  onEnd: () => void;
}

/** Keeps the socket open until the signal is aborted. The result says whether the household opened it. */
export async function openHouseholdSocket(
  env: Pick<ExchangeBindings, "HOUSEHOLDS">,
  { household, credential }: Principal,
  { path, query }: { path: string; query: Record<string, string> },
  { onMessage, onEnd }: SocketEvents,
  signal: AbortSignal,
): Promise<boolean> {
  const parameters = new URLSearchParams({ ...query, ...(credential ? { credential } : {}) });
  const response = await getHouseholdStub(env, household).fetch(
    new Request(`https://household${path}?${parameters.toString()}`, {
      headers: { Upgrade: "websocket" },
    }),
  );
  const socket = response.webSocket;
  if (!socket) {
    onEnd();
    return false;
  }
  socket.accept();
  socket.addEventListener("message", ({ data }) => onMessage(String(data)));
  socket.addEventListener("close", onEnd);
  socket.addEventListener("error", onEnd);
  const close = () => socket.close(1_000, "enough");
  if (signal.aborted) close();
  else signal.addEventListener("abort", close);
  return true;
}
