/** The words and limits of reservations, which the tools, the routes and the household share. */

/** `exclusive`: nobody else may hold an overlapping name. `shared`: only other shared holders may. */
export const RESERVATION_MODES = ["exclusive", "shared"] as const;
export type ReservationMode = (typeof RESERVATION_MODES)[number];

export const RESERVATION_LIMITS = {
  nameChars: 256,
  namesPerCall: 32,
  reasonChars: 200,
  defaultSeconds: 1_800,
  maxSeconds: 86_400,
  perHousehold: 200,
  perCredential: 50,
  /** Reservations by others that one refusal lists. */
  listedConflicts: 10,
  /** Others who wanted a reserved name, of whom its holder learns. */
  wantersPerReservation: 8,
} as const;
