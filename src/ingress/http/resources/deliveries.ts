/** What members were told of a thread, by which channel, and what became of it. */
import { reach } from "../../../exchange/with-thread.ts";
import { ok } from "../../../mess/result.ts";
import { type Call, type Handled, memberRoute, type Route } from "../route.ts";

async function list({ env, principal, param }: Call): Handled {
  const found = await reach(env, principal, param("ref"), undefined, ({ stub }) =>
    stub.deliveries(principal),
  );
  return found.ok ? ok({ body: { deliveries: found.value } }) : found;
}

async function redeliver({ env, principal, param }: Call): Handled {
  const id = param("id");
  const sent = await reach(env, principal, param("ref"), undefined, ({ stub }) =>
    stub.redeliver(principal, id),
  );
  return sent.ok ? ok({ body: sent.value }) : sent;
}

export const deliveryRoutes: readonly Route[] = [
  memberRoute({
    method: "get",
    path: "/mess/{ref}/deliveries",
    access: "member",
    summary: "What members were told, by which channel, and what became of it",
    description:
      "For the requestor and the owners. A delivery is due, delivered, dead (given up) or dropped (of no use any more, or reached by no channel).",
    handle: list,
  }),
  memberRoute({
    method: "post",
    path: "/mess/{ref}/deliveries/{id}/redeliver",
    access: "member",
    summary: "Send a delivery again, under the id that it has",
    description: "For owners.",
    handle: redeliver,
  }),
];
