/** Reserving names of files, devices and rooms for a while. */
import * as z from "zod";
import type { ReservationView } from "../../../../contracts/reservations.ts";
import { defined } from "../../../../mess/defined.ts";
import {
  reservationReasonSchema,
  reservationUntilSchema,
  reservedNamesSchema,
} from "../../../../mess/reservations/fields.ts";
import { ok } from "../../../../mess/result.ts";
import { getHouseholdStub } from "../../../../stubs.ts";
import { findMember } from "../../caller.ts";
import { buildStructuredResult } from "../../results/structured-result.ts";
import { describeReservation } from "../../text/describe-reservations.ts";
import { formatInlineList } from "../../text/format-lists.ts";
import { cleanDeep } from "../../text/untrusted-text.ts";
import { defineTool, type Tool, type ToolNamer } from "../../tool.ts";
import { ENDS, SETS } from "../tool-hints.ts";
import { groupOutputSchema, requiredIdSchema } from "./group-tool.ts";

const MAX_LISTED_NAMES = 32;
const MAX_LISTED_RESERVATIONS = 50;

/** The caller's own first, since others may want them. */
const listShown = (reservations: readonly ReservationView[]): ReservationView[] =>
  reservations
    .toSorted((a, b) => Number(b.mine ?? false) - Number(a.mine ?? false))
    .slice(0, MAX_LISTED_RESERVATIONS);

const myIdSchema = requiredIdSchema.optional();

export const buildReservationTools = (toolName: ToolNamer): Tool[] => [
  defineTool({
    name: toolName("reserve"),
    title: "Reserve",
    description: "Lease what you will use, or extend that. Advisory. Without names: list",
    hints: SETS,
    input: z.strictObject({
      names: reservedNamesSchema.optional().describe("src/**, devices, rooms"),
      shared: z.boolean().optional().describe("Others may share it"),
      until: reservationUntilSchema.optional().describe("15:00 or 45m; default 30m"),
      reason: reservationReasonSchema.optional().describe("Shown to others"),
      my_id: myIdSchema.describe("Your id, to be told who wants it"),
    }),
    output: groupOutputSchema,
    async run({ exchange, names, shared, until, reason, my_id }, { env, caller }) {
      const member = findMember(caller, exchange);
      if (!member.ok) return member;
      const { reservations } = getHouseholdStub(env, member.value.household);
      const found =
        names === undefined
          ? await reservations.list(member.value)
          : await reservations.reserve(member.value, {
              names,
              mode: shared ? "shared" : "exclusive",
              ...defined({ until, reason, as: my_id }),
            });
      if (!found.ok) return found;
      const shown = listShown(found.value);
      const left = found.value.length - shown.length;
      const text = [
        ...(names === undefined ? [] : [`Reserved. When you are done: ${toolName("release")}.`]),
        ...(found.value.length === 0 ? ["Nothing is reserved."] : shown.map(describeReservation)),
        ...(left > 0 ? [`${left} more.`] : []),
      ].join("\n");
      return ok(buildStructuredResult(text, { reservations: cleanDeep(shown) }));
    },
  }),
  defineTool({
    name: toolName("release"),
    title: "Release",
    description: "Release your leases",
    hints: ENDS,
    input: z.strictObject({
      names: reservedNamesSchema.optional().describe("Default: all"),
      my_id: myIdSchema.describe("Only of this id"),
      force: z.boolean().optional().describe("Owners: of others"),
    }),
    output: groupOutputSchema,
    async run({ exchange, names, my_id, force }, { env, caller }) {
      const member = findMember(caller, exchange);
      if (!member.ok) return member;
      const { reservations } = getHouseholdStub(env, member.value.household);
      const input = defined({ names, as: my_id, force });
      const released = await reservations.release(member.value, input);
      if (!released.ok) return released;
      const text =
        released.value.length === 0
          ? "Nothing was reserved."
          : `Released ${formatInlineList(released.value, MAX_LISTED_NAMES)}.`;
      return ok(buildStructuredResult(text, { released: cleanDeep(released.value) }));
    },
  }),
];
