/** A household with message sources, and callers with keys of their own. */
import type { Principal, Role } from "../../../../src/auth/principal.ts";
import { defined } from "../../../../src/mess/defined.ts";
import type { JsonMap } from "../../../../src/mess/json.ts";
import { unwrap } from "../../outcomes.ts";
import {
  buildFakeHash,
  buildFakeWebhookSecret,
  configureHousehold,
  createHousehold,
  type HouseholdUnderTest,
} from "../support.ts";

export const MAIL = { kind: "email", title: "Family mail", from: "home@mess.test" };
export const ALERTS = { kind: "webhook", secret: buildFakeWebhookSecret("alerts") };

export interface SourceHousehold extends HouseholdUnderTest {
  /** An owner's key without limits. */
  owner: Principal;
}

/** A household with the sources `email` and `alerts`. */
export async function createSourceHousehold(
  sources: JsonMap = { email: MAIL, alerts: ALERTS },
): Promise<SourceHousehold> {
  const home = await createHousehold();
  await configureHousehold(home, { sources });
  return { ...home, owner: await addKey(home, "olga", "owner") };
}

/** A new key of the member, limited to the paths if there are any. */
export async function addKey(
  { id, rpc }: HouseholdUnderTest,
  actor: string,
  role: Role,
  paths?: readonly string[],
): Promise<Principal> {
  const key_hash = buildFakeHash(crypto.randomUUID().replaceAll("-", ""));
  const added = unwrap(await rpc.identity.addKey({ actor, role, key_hash }));
  return { household: id, actor, role, credential: `key:${added.id}`, ...defined({ paths }) };
}
