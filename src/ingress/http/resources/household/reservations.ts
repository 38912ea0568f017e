/** `/reservations`: advisory leases on names of files, devices and rooms. */
import * as z from "zod";
import { defined } from "../../../../mess/defined.ts";
import { groupIdFieldSchema } from "../../../../mess/groups/fields.ts";
import {
  reservationModeSchema,
  reservationReasonSchema,
  reservationSecondsSchema,
  reservationUntilSchema,
  reservedNameSchema,
  reservedNamesSchema,
} from "../../../../mess/reservations/fields.ts";
import { ok } from "../../../../mess/result.ts";
import { getHouseholdStub } from "../../../../stubs.ts";
import { flagSchema } from "../../parameters.ts";
import { readObject, TEXT_TYPES } from "../../request-body.ts";
import {
  defineMemberRoute,
  type HandlerPromise,
  type HttpCall,
  type HttpRoute,
} from "../../route.ts";

const newReservationSchema = z.strictObject({
  names: reservedNamesSchema.describe(
    "Paths, globs, devices, rooms. `*` stands for a part of a path segment, `**` for any segments.",
  ),
  mode: reservationModeSchema
    .exactOptional()
    .describe("Default: exclusive. Shared reservations of one name exclude only exclusive ones."),
  seconds: reservationSecondsSchema.exactOptional().describe("Default: 1800."),
  until: reservationUntilSchema
    .exactOptional()
    .describe("In place of seconds: 15:00 on the household's clock, 45m, or ISO 8601."),
  reason: reservationReasonSchema.exactOptional(),
  as: groupIdFieldSchema
    .exactOptional()
    .describe("The caller's id in an AI group; a conflict is reported to it there."),
});

const releaseSchema = z.strictObject({
  names: reservedNamesSchema.exactOptional(),
  as: groupIdFieldSchema.exactOptional(),
  force: z.boolean().exactOptional(),
});

const releaseQuerySchema = z.strictObject({
  /** One name; a body has several. */
  name: reservedNameSchema.exactOptional(),
  as: groupIdFieldSchema.exactOptional(),
  force: flagSchema,
});

async function handleReserve({ env, principal, request }: HttpCall): HandlerPromise {
  const body = await readObject(request, newReservationSchema);
  if (!body.ok) return body;
  const { reservations } = getHouseholdStub(env, principal.household);
  const reserved = await reservations.reserve(principal, body.value);
  return reserved.ok ? ok({ status: 201, body: { reservations: reserved.value } }) : reserved;
}

async function handleList({ env, principal }: HttpCall): HandlerPromise {
  const listed = await getHouseholdStub(env, principal.household).reservations.list(principal);
  return listed.ok ? ok({ body: { reservations: listed.value } }) : listed;
}

async function handleRelease(call: HttpCall<z.output<typeof releaseQuerySchema>>): HandlerPromise {
  const { env, principal, query, request } = call;
  const body = request.body === null ? ok({}) : await readObject(request, releaseSchema);
  if (!body.ok) return body;
  const { name, as, force } = query;
  const { reservations } = getHouseholdStub(env, principal.household);
  const released = await reservations.release(principal, {
    ...defined({ names: name === undefined ? undefined : [name], as }),
    force,
    ...body.value,
  });
  return released.ok ? ok({ body: { released: released.value } }) : released;
}

export const reservationRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "post",
    path: "/reservations",
    access: "member",
    summary: "Reserve names for a while, all or none",
    description:
      "Advisory: nothing is locked. A name that overlaps a reservation of somebody else is refused with `reserved`, who holds it and until when, and the holder sees who wanted it. The holder extends a reservation by repeating the call.",
    body: { description: "The names", types: TEXT_TYPES, schema: newReservationSchema },
    status: 201,
    handle: handleReserve,
  }),
  defineMemberRoute({
    method: "get",
    path: "/reservations",
    access: "member",
    summary: "The reservations of the household",
    handle: handleList,
  }),
  defineMemberRoute({
    method: "delete",
    path: "/reservations",
    access: "member",
    summary: "Release own reservations: some, or all of them",
    description:
      "With force, an owner releases names that others hold, which the audit trail records.",
    query: releaseQuerySchema,
    body: {
      description: "Several names, in place of the query",
      types: TEXT_TYPES,
      schema: releaseSchema,
      optional: true,
    },
    handle: handleRelease,
  }),
];
