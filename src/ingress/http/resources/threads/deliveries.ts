/** The notices of a thread: recipient, channel and result of each delivery. */
import { withThread } from "../../../../exchange/with-thread.ts";
import { ok } from "../../../../mess/result.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";

async function listDeliveries({ env, principal, param }: HttpCall): HandlerPromise {
  const found = await withThread(env, principal, param("ref"), undefined, ({ stub }) =>
    stub.listDeliveries(principal),
  );
  return found.ok ? ok({ body: { deliveries: found.value } }) : found;
}

async function redeliverNotice({ env, principal, param }: HttpCall): HandlerPromise {
  const id = param("id");
  const sent = await withThread(env, principal, param("ref"), undefined, ({ stub }) =>
    stub.redeliver(principal, id),
  );
  return sent.ok ? ok({ body: sent.value }) : sent;
}

export const deliveryRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "get",
    path: "/mess/{ref}/deliveries",
    access: "member",
    summary: "The thread's notices: recipient, channel and result of each delivery",
    description:
      "For the requestor and the owners. A delivery is due, delivered, dead (given up) or dropped (no longer relevant, or the member has no channel).",
    handle: listDeliveries,
  }),
  defineMemberRoute({
    method: "post",
    path: "/mess/{ref}/deliveries/{id}/redeliver",
    access: "member",
    summary: "Send a delivery again, with the same id",
    description: "For owners.",
    handle: redeliverNotice,
  }),
];
