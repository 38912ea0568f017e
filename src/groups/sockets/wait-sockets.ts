/** The sockets of members that wait for a message. */
import type { CredentialId } from "../../auth/principal.ts";
import type { GroupMember } from "../../contracts/groups.ts";
import { acceptWaiter, closeWaiter, listWaiters, sendToWaiter } from "../../object/waiters.ts";
import { findNextSeq } from "../reading/receive-messages.ts";
import { resolveCaller } from "../resolve-caller.ts";
import type { GroupStore } from "../tables/group-store.ts";
import type { StoredMessage } from "../tables/message-table.ts";
import { closeEnded, closeOldest, type Sockets } from "./close-sockets.ts";

const getWaitTag = (member: string): string => `wait:${member}`;

type WaitViewer = Pick<GroupMember, "credential">;

export const isWaiting = (ctx: Sockets, member: string): boolean =>
  ctx.getWebSockets(getWaitTag(member)).some(({ readyState }) => readyState === WebSocket.OPEN);

export function acceptWait(ctx: Sockets, store: GroupStore, query: URLSearchParams): Response {
  const credential = query.get("credential");
  const record = store.roster.read();
  if (credential === null || !record) return new Response(null, { status: 404 });
  const as = query.get("as");
  const member = resolveCaller(store.roster, {
    principal: {
      household: record.household,
      actor: "",
      role: "agent",
      credential: credential as CredentialId,
    },
    ...(as === null ? {} : { as }),
  });
  if (!member.ok || member.value.ended) return new Response(null, { status: 404 });
  const tag = getWaitTag(member.value.key);
  closeOldest(listWaiters(ctx, tag));
  const { socket, response } = acceptWaiter(ctx, tag, {
    credential: member.value.credential,
  } satisfies WaitViewer);
  const next = findNextSeq(store, member.value.key, Number(query.get("after")));
  if (next !== undefined) wake(socket, String(next));
  else if (record.status === "closed") wake(socket, "closed");
  return response;
}

function wake(socket: WebSocket, text: string): void {
  sendToWaiter(socket, text);
  closeWaiter(socket, 1_000, "message");
}

/** Wakes the waits of the receiver. */
export function wakeWaits(ctx: Sockets, store: GroupStore, { receiver, seq }: StoredMessage): void {
  const credential = store.roster.find(receiver)?.credential;
  for (const { socket, viewer } of listWaiters(ctx, getWaitTag(receiver)))
    if ((viewer as WaitViewer).credential === credential) wake(socket, String(seq));
}

export function applyRecordToWaits(ctx: Sockets, { roster }: GroupStore): void {
  const { members, status } = roster.get();
  for (const { key, active, ended, credential } of members)
    for (const { socket, viewer } of listWaiters(ctx, getWaitTag(key))) {
      if (!active || ended || (viewer as WaitViewer).credential !== credential)
        closeEnded(socket, "credential ended");
      else if (status === "closed") wake(socket, "closed");
    }
}
