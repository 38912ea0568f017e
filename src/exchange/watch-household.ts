/** Watches the changes in a household that the member may see. */
import type { Principal } from "../auth/principal.ts";
import type { ThreadChange } from "../contracts/events.ts";
import { openHouseholdSocket } from "./household-socket.ts";
import type { ExchangeBindings } from "./with-thread.ts";

/**
 * Calls `onChange` for every change until the signal is aborted, and `onEnd` if the household closes the connection.
 * Changes of one thread in quick succession may be reported as one.
 */
export async function watchHousehold(
  env: Pick<ExchangeBindings, "HOUSEHOLDS">,
  principal: Principal,
  onChange: (change: ThreadChange) => void,
  onEnd: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { actor, role } = principal;
  const onMessage = (text: string) => onChange(JSON.parse(text) as ThreadChange);
  const address = { path: "/changes", query: { actor, role } };
  await openHouseholdSocket(env, principal, address, { onMessage, onEnd }, signal);
}
