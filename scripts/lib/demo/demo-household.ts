/** Sets up the demo household, with an agent, a person and a robot. */
import { createHash } from "node:crypto";
import { createClient } from "../client.ts";
import {
  type Household,
  readHousehold,
  type State,
  writeHousehold,
} from "../exchange/state-directory.ts";

export const DEMO_HOUSEHOLD_ID = "home";
export const DEMO_AGENT_ID = "claude";
export const DEMO_PHONE_ID = "ann-phone";
export const DEMO_ROBOT_ID = "roomba";

const DEMO_CONFIG = `
MESS:
  - config:
      capabilities:
        - { id: take-photo, description: Take a picture and attach it, tags: [visual] }
        - { id: check-visual, description: Look at something and tell what is there, tags: [visual] }
        - { id: vacuum-floor, description: Vacuum floors and carpets, tags: [cleaning] }
      executors:
        ${DEMO_PHONE_ID}:
          name: Ann's phone
          kind: person
          capabilities: [take-photo, check-visual, make-phone-call, local-errands, home-access]
          access: [home/kitchen, home/living-room, home/garage]
        ${DEMO_ROBOT_ID}:
          name: Roomba
          kind: robot
          capabilities:
            - vacuum-floor: { areas: [kitchen, living-room] }
          access: [home/kitchen, home/living-room]
`;

/**
 * Returns the household of the state and its keys; creates it on the first run. Every step is idempotent, so a run
 * that was interrupted is completed by the next one, with the same keys.
 */
export async function setUpHousehold(
  state: State,
  origin: string,
  signal: AbortSignal,
): Promise<Household> {
  const known = readHousehold(state);
  if (known) return known;
  const household = await createDemoHousehold(state, DEMO_HOUSEHOLD_ID, origin, signal);
  writeHousehold(state, household);
  return household;
}

/** @param seed from which the keys of the calls are derived, so that a repeated call has the same result */
export async function createDemoHousehold(
  { operatorKey, seed }: Pick<State, "operatorKey" | "seed">,
  id: string,
  origin: string,
  signal: AbortSignal,
): Promise<Household> {
  const repeat = (step: string) => createHash("sha256").update(`${seed} ${step}`).digest("hex");
  const operator = createClient(origin, operatorKey, signal);
  const { owner } = await operator.post<{ owner: { key: string } }>(
    "/api/v1/households",
    { id, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone },
    repeat("household"),
  );
  const asOwner = createClient(origin, owner.key, signal);
  await asOwner.mess(DEMO_CONFIG);
  const createKey = async (actor: string, role: "agent" | "executor") => {
    const body = { actor, role, label: "made by npm start" };
    return (await asOwner.post<{ key: string }>("/api/v1/keys", body, repeat(`${role} ${actor}`)))
      .key;
  };
  return {
    household: id,
    keys: {
      owner: owner.key,
      agent: await createKey(DEMO_AGENT_ID, "agent"),
      executors: {
        [DEMO_PHONE_ID]: await createKey(DEMO_PHONE_ID, "executor"),
        [DEMO_ROBOT_ID]: await createKey(DEMO_ROBOT_ID, "executor"),
      },
    },
  };
}
