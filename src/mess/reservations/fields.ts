/** Schemas of the fields of reservations, which the tools and the routes share. */
import * as z from "zod";
import { boundedTextSchema } from "../lengths.ts";
import { LIMITS } from "../limits.ts";
import { RESERVATION_LIMITS, RESERVATION_MODES } from "./limits.ts";

export const reservedNameSchema = boundedTextSchema(RESERVATION_LIMITS.nameChars).min(1);
export const reservedNamesSchema = z
  .array(reservedNameSchema)
  .min(1)
  .max(RESERVATION_LIMITS.namesPerCall);
export const reservationModeSchema = z.enum(RESERVATION_MODES);
export const reservationSecondsSchema = z.int().min(1).max(RESERVATION_LIMITS.maxSeconds);
export const reservationUntilSchema = boundedTextSchema(LIMITS.timeChars).min(1);
export const reservationReasonSchema = boundedTextSchema(RESERVATION_LIMITS.reasonChars).min(1);
