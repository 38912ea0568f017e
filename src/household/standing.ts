/** Whether somebody who is not calling may still ask: for what is done in a member's name while it is away. */
import { isWithin } from "../auth/roles.ts";
import type { Stores } from "./stores.ts";

/** True while one of the member's keys, its own standing or a grant lets it make requests. */
export const mayAsk = (
  { credentials, people, grants }: Pick<Stores, "credentials" | "people" | "grants">,
  actor: string,
): boolean =>
  [credentials.roleOf(actor), people.person(actor)?.role, grants.roleOf(actor)].some(
    (role) => role !== undefined && isWithin("agent", role),
  );
