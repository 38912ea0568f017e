/** A household for crash schedules: its members as principals, an uploader with a real key, and a test clock. */
import { getHouseholdStub } from "../../../src/stubs.ts";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { generateKey } from "../../../src/auth/api-keys.ts";
import type { Principal, Role } from "../../../src/auth/principal.ts";
import { Caller } from "../support.ts";

/** Ahead of the real clock, so that alarms do not fire on their own. */
const START = new Date("2051-03-01T05:00:00Z").getTime();

/** Advances the clock of all objects; it never goes back. */
export const advanceClock = (milliseconds: number): void => {
  vi.setSystemTime(Math.max(Date.now(), START) + milliseconds);
};

export const MEMBERS: Readonly<Record<string, Role>> = {
  olga: "owner",
  scout: "agent",
  sage: "agent",
  ann: "executor",
  robo: "executor",
};

export interface ReliabilityHousehold {
  id: string;
  as: (actor: string) => Principal;
  /** Callers over HTTP, for uploads. */
  callers: Readonly<Record<string, Caller>>;
}

export async function createReliabilityHousehold(name: string): Promise<ReliabilityHousehold> {
  const id = `${name}-${crypto.randomUUID().slice(0, 8)}`;
  const stub = getHouseholdStub(env, id);
  const callers: Record<string, Caller> = {};
  for (const [actor, role] of Object.entries(MEMBERS)) {
    const { key, hash } = await generateKey(id);
    const added =
      role === "owner"
        ? await stub.settings.setUp({ id, time_zone: "UTC" }, { actor, key_hash: hash })
        : await stub.identity.addKey({ actor, role, key_hash: hash });
    if (!added.ok) throw new Error(added.error.message);
    callers[actor] = new Caller(actor, key);
  }
  await stub.settings.configure({ executor: { id: "ann", capabilities: ["look"] } });
  await stub.settings.configure({
    executor: { id: "robo", kind: "machine", capabilities: ["look"] },
  });
  const as = (actor: string): Principal => ({ household: id, actor, role: MEMBERS[actor]! });
  return { id, as, callers };
}
