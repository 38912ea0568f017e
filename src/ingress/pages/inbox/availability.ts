/** `PUT /inbox/availability`: signed-in people set for themselves when they want to be contacted. */
import * as z from "zod";
import { getHouseholdStub } from "../../../stubs.ts";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { ok } from "../../../mess/result.ts";
import { householdQuerySchema } from "../../http/parameters.ts";
import { readObject, TEXT_TYPES } from "../../http/request-body.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../../http/route.ts";
import { findPerson } from "./find-person.ts";

const changeSchema = z.strictObject({
  state: z.enum(["here", "away", "snoozed"]).exactOptional(),
  until: boundedTextSchema(LIMITS.timeChars)
    .min(1)
    .describe("An ISO 8601 time, or a duration such as 2h. Required for snoozed.")
    .exactOptional(),
  quiet_hours: z
    .union([boundedTextSchema(LIMITS.hoursChars), z.null()])
    .describe("Hours such as 22:00-07:00; null for none.")
    .exactOptional(),
});

async function setAvailability(
  call: NoHouseholdCall<z.output<typeof householdQuerySchema>>,
): HandlerPromise {
  const person = await findPerson(call);
  if (!person.ok) return person;
  const change = await readObject(call.request, changeSchema);
  if (!change.ok) return change;
  const { household, actor } = person.value;
  const set = await getHouseholdStub(call.env, household).contacts.setAvailability(
    actor,
    change.value,
  );
  return set.ok ? ok({ body: { availability: set.value } }) : set;
}

export const availabilityRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "put",
    path: "/inbox/availability",
    access: "open",
    summary: "Set the signed-in person's own presence, snooze and quiet hours in one household",
    query: householdQuerySchema,
    body: { description: "The fields to change", types: TEXT_TYPES, schema: changeSchema },
    handle: setAvailability,
  }),
];
