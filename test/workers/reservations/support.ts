/** A household with members who reserve things, each as the principal of a key. */
import type { Principal, Role } from "../../../src/auth/principal.ts";
import type { NewReservation, ReservationView } from "../../../src/contracts/reservations.ts";
import { unwrap } from "../outcomes.ts";
import { buildFakeHash, createHousehold, type HouseholdUnderTest } from "../household/support.ts";

export interface ReservingHousehold extends HouseholdUnderTest {
  /** Owner and agents, each with a key of its own. */
  olga: Principal;
  scout: Principal;
  rover: Principal;
  addKey: (actor: string, role: Role) => Promise<Principal>;
}

export async function createReservingHousehold(time_zone?: string): Promise<ReservingHousehold> {
  const home = await createHousehold(time_zone);
  let keys = 0;
  const addKey = async (actor: string, role: Role): Promise<Principal> => {
    const key_hash = buildFakeHash(`5eed${(keys++).toString().padStart(4, "0")}`);
    const { id } = unwrap(await home.rpc.identity.addKey({ actor, role, key_hash }));
    return { household: home.id, actor, role, credential: `key:${id}` };
  };
  return {
    ...home,
    addKey,
    olga: await addKey("olga", "owner"),
    scout: await addKey("scout", "agent"),
    rover: await addKey("rover", "agent"),
  };
}

export const reserve = async (
  { rpc }: HouseholdUnderTest,
  caller: Principal,
  input: NewReservation,
): Promise<ReservationView[]> => unwrap(await rpc.reservations.reserve(caller, input));

export const list = async (
  { rpc }: HouseholdUnderTest,
  caller: Principal,
): Promise<ReservationView[]> => unwrap(await rpc.reservations.list(caller));
