/** A household with robots: each has a webhook at its own address, and its derived secret. */
import { connectHost } from "../dispatch/machine-hosts.ts";
import { type Robot, createRobot } from "../../support/channels/robot.ts";
import {
  type Caller,
  expectOkJson,
  createFreshHousehold,
  ORIGIN,
  sendRequest,
  type TestHousehold,
} from "../support.ts";
import { PNG } from "../../support/media/png.ts";

export const PHOTO = PNG;

export const readCallback = (household: string, executor: string): string =>
  `${ORIGIN}/hooks/executor/${household}/${executor}`;

/** Calls reach the Worker without a network. */
export const postCallback = (request: Request): Promise<Response> => {
  const { pathname, search } = new URL(request.url);
  return sendRequest(`${pathname}${search}`, request);
};

export interface RobotHousehold extends TestHousehold {
  /** Moppy mops; its webhook is at `moppy.example.com`. */
  moppy: Robot;
  url: string;
  secret: string;
}

export const readSecret = async (owner: Caller, executor: string): Promise<string> =>
  (await owner.read(`/api/v1/executors/${executor}/webhook-secret`)).secret as string;

/** @param notify channels of the executor `moppy` */
export async function createRobotHousehold(
  notify: object = { webhook: "https://moppy.example.com/hook" },
): Promise<RobotHousehold> {
  const home = await createFreshHousehold();
  const executor = { id: "moppy", kind: "machine", capabilities: ["mop-floor"], notify };
  await expectOkJson(await home.owner.postBlocks({ config: { executor } }));
  const secret = await readSecret(home.owner, "moppy");
  const moppy = createRobot({ secret, deliver: postCallback });
  connectHost("moppy.example.com", moppy.handle);
  return { ...home, moppy, secret, url: readCallback(home.id, "moppy") };
}

/** Creates a request for mopping and returns the thread's ref. */
export const createMopTask = (agent: Caller, more: object = {}): Promise<string> =>
  agent.createThread("mop up the rice", { requires: ["mop-floor"], ...more });
