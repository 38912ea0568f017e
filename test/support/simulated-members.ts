/** Members of a simulated household that act only when a test makes them. */
import type {
  PersonChannel,
  SimulatedPerson,
  SimulatedRobot,
} from "../../scripts/lib/simulation/scenario.ts";

const DEFAULT_BEHAVIOR = {
  takes: [0, 0] as [number, number],
  declines: 0,
  asks: 0,
  blurs: 0,
  sleeps: 0,
};
export const buildPerson = (
  id: string,
  channel: PersonChannel,
  index: number,
): SimulatedPerson => ({
  id,
  name: id[0]!.toUpperCase() + id.slice(1),
  channel,
  index,
  behavior: DEFAULT_BEHAVIOR,
});

export const buildRobot = (id: string, skill: string): SimulatedRobot => ({
  id,
  name: id,
  skill,
  behavior: { takes: [0, 0], asks: 0, dies: 0, stumbles: 0 },
});
