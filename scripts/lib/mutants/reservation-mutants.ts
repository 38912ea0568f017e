/** Defects through which two members could hold one name, or one could end what another holds. */
import type { Mutant } from "./mutant.ts";

const RESERVATIONS = ["reservations/reservations"];
const HOLDERS = ["reservations/group-holders"];
const OVERLAP = ["unit/mess/reservations/overlap"];

export const RESERVATION_MUTANTS: readonly Mutant[] = [
  {
    name: "an exclusive reservation is granted beside a shared one",
    file: "src/household/reservations/reserve.ts",
    find: 'if (mode === "shared" && wantedMode === "shared") return false;',
    replace: 'if (mode === "shared" || wantedMode === "shared") return false;',
    tests: RESERVATIONS,
  },
  {
    name: "an exclusive reservation is granted twice to two agents with one key",
    file: "src/household/reservations/holder.ts",
    find: "reservation.credential === credential && reservation.member === member;",
    replace: "reservation.credential === credential || reservation.member === member;",
    tests: HOLDERS,
  },
  {
    name: "two globs that can match one path are reserved by two members",
    file: "src/mess/reservations/overlap.ts",
    find: "a.minLength <= b.maxLength &&",
    replace: "a.minLength < b.maxLength &&",
    tests: OVERLAP,
  },
  {
    name: "any member releases what another one has reserved",
    file: "src/household/reservations/release.ts",
    find: "credential === holder.value.credential && (as",
    replace: "(credential === holder.value.credential || true) && (as",
    tests: RESERVATIONS,
  },
  {
    name: "any member can end a reservation by force",
    file: "src/household/reservations/release.ts",
    find: 'if (force && caller.role !== "owner")',
    replace: 'if (force && caller.role === "executor")',
    tests: RESERVATIONS,
  },
  {
    name: "a forced release of a reservation is not recorded",
    file: "src/household/reservations/release.ts",
    find: "for (const one of foreign) recordForce(stores, caller, one, now);",
    replace: "",
    tests: RESERVATIONS,
  },
  {
    name: "a reservation outlives the key that made it",
    file: "src/household/reservations/live-reservations.ts",
    find: "return known;",
    replace: "return true;",
    tests: RESERVATIONS,
  },
  {
    name: "a member reserves under the group id of another key",
    file: "src/household/reservations/holder.ts",
    find: ".find((one) => adoptMember(stores, one, { ...principal, credential }, now));",
    replace: ".find((one) => adoptMember(stores, one, { ...principal, credential }, now) || true);",
    tests: HOLDERS,
  },
];
