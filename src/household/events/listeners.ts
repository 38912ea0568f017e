/** Those who listen for changes: hibernating WebSockets, each with the member whose eyes it has. */
import type { Principal } from "../../auth/principal.ts";
import { ROLES } from "../../auth/principal.ts";
import type { ThreadSummary } from "../../contracts/thread.ts";
import type { ThreadChange } from "../../contracts/household.ts";

const TAG = "changes";

/** `session` is that of a person's browser, with whose end it hears no more. */
interface Listener extends Pick<Principal, "actor" | "role"> {
  session: string | null;
}

/** Accepts a listener. Who listens was settled where the credential was checked. */
export function acceptListener(ctx: DurableObjectState, request: Request): Response {
  const query = new URL(request.url).searchParams;
  const actor = query.get("actor");
  const role = ROLES.find((one) => one === query.get("role"));
  if (actor === null || !role) return new Response(null, { status: 400 });
  const { 0: client, 1: server } = new WebSocketPair();
  ctx.acceptWebSocket(server, [TAG]);
  const session = query.get("session");
  server.serializeAttachment({ actor, role, session } satisfies Listener);
  return new Response(null, { status: 101, webSocket: client });
}

/** Ends the listening of a browser that has signed out, or of all browsers of a person who has left. */
export function endListeners(
  ctx: DurableObjectState,
  over: { session: string } | { person: string },
): void {
  for (const socket of ctx.getWebSockets(TAG)) {
    const { actor, session } = socket.deserializeAttachment() as Listener;
    const isOver = "session" in over ? session === over.session : actor === over.person;
    if (session !== null && isOver) socket.close(4_401, "signed out");
  }
}

/** Tells those who may see the thread that it has changed. */
export function tellListeners(ctx: DurableObjectState, summary: ThreadSummary): void {
  const { ref, client_id, status, participants } = summary;
  const change: ThreadChange = { ref, client_id, status };
  for (const socket of ctx.getWebSockets(TAG)) {
    const { actor, role } = socket.deserializeAttachment() as Listener;
    if (role !== "owner" && !participants.includes(actor)) continue;
    try {
      socket.send(JSON.stringify(change));
    } catch {
      // It went away first: there is nobody to tell.
    }
  }
}
