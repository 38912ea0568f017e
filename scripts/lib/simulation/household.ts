/** Sets up the simulated household in a running exchange: channel servers, members, robots. */
import { startRobot } from "../../../test/support/local-servers/robot-server.ts";
import { startSlack } from "../../../test/support/local-servers/slack-server.ts";
import { startTelegram } from "../../../test/support/local-servers/telegram-server.ts";
import { startTwilio } from "../../../test/support/local-servers/twilio-server.ts";
import { createClient } from "../client.ts";
import type { ReadyFile } from "../exchange/exchange.ts";
import { type Scenario, type SimulatedRobot, PEOPLE_SKILLS } from "./scenario.ts";
import { getAddress, type Servers } from "./phones.ts";
import type { RunningRobot } from "./simulated-robots.ts";

/** Escalation steps of seconds instead of hours, so that a run is short. */
const STEP_TIMEOUTS = { urgent: "PT3S", elevated: "PT4S", normal: "PT5S", background: "PT6S" };

/** Telegram chat for alerts to the owner. */
export const OWNER_CHAT_ID = 4_999;

export interface SimulatedHousehold {
  servers: Servers;
  robots: Map<string, RunningRobot>;
  stop(): Promise<void>;
}

/** Starts the servers and configures the exchange for them. Removes the executors of the demo household. */
export async function setUpHousehold(
  ready: ReadyFile,
  cast: Scenario,
): Promise<SimulatedHousehold> {
  const { origin, household, keys } = ready;
  const owner = createClient(origin, keys.owner);
  const [slack, telegram, sms] = await Promise.all([
    startSlack({ hook: `${origin}/hooks/slack/${household}` }),
    startTelegram(),
    startTwilio({ hook: `${origin}/hooks/twilio/${household}` }),
  ]);
  const servers = { slack, telegram, sms };
  const robots = new Map<string, RunningRobot>();
  const configure = (config: object) => owner.post("/mess", { MESS: [{ config }] });

  const removedExecutors = Object.fromEntries(Object.keys(keys.executors).map((id) => [id, null]));
  const people = cast.people.map((person) => [
    person.id,
    {
      name: person.name,
      kind: "person",
      capabilities: PEOPLE_SKILLS,
      notify: { [person.channel]: getAddress(person) },
    },
  ]);
  await configure({
    dispatch: {
      slack: slack.settings(),
      telegram: telegram.settings(),
      sms: sms.settings(),
      ladder: STEP_TIMEOUTS,
      alerts: { telegram: OWNER_CHAT_ID },
    },
    executors: { ...removedExecutors, ...Object.fromEntries(people) },
    routing: {
      rules: cast.machines.map(({ id, skill }) => ({ match: { capability: skill }, prefer: [id] })),
    },
  });
  for (const machine of cast.machines) robots.set(machine.id, await build(machine, ready));
  await owner.post("/api/v1/channels/telegram/register", {});
  for (const person of cast.people)
    if (person.channel === "telegram") await telegram.act.start(Number(getAddress(person)));
  await telegram.act.start(OWNER_CHAT_ID);

  return {
    servers,
    robots,
    stop: async () => {
      const all = [slack, telegram, sms, ...robots.values()];
      await Promise.all(all.map((server) => server.stop()));
    },
  };
}

/** Adds the executor first, since its webhook secret is derived from its id. */
async function build({ id, name, skill }: SimulatedRobot, ready: ReadyFile): Promise<RunningRobot> {
  const owner = createClient(ready.origin, ready.keys.owner);
  const put = (webhook: string) =>
    owner.post("/mess", {
      config: { executor: { id, name, kind: "robot", capabilities: [skill], notify: { webhook } } },
    });
  await put("http://127.0.0.1:9/none");
  const path = `/api/v1/executors/${id}/webhook-secret`;
  const { secret } = await owner.get<{ secret: string }>(path);
  const robot = await startRobot({ secret });
  await put(robot.hook);
  return robot;
}
