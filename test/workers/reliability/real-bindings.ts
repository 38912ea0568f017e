/** The original bindings, before a test file wraps them. */
import { env } from "cloudflare:workers";

export const real = {
  thread: env.THREADS.getByName.bind(env.THREADS),
  household: env.HOUSEHOLDS.getByName.bind(env.HOUSEHOLDS),
  group: env.GROUPS.getByName.bind(env.GROUPS),
  source: env.SOURCES.getByName.bind(env.SOURCES),
  put: env.BLOBS.put.bind(env.BLOBS),
  delete: env.BLOBS.delete.bind(env.BLOBS),
  prepare: env.INDEX.prepare.bind(env.INDEX),
  batch: env.INDEX.batch.bind(env.INDEX),
};

export const getThreadObject = (household: string, ref: string) =>
  real.thread(`${household}/${ref}`);
export const getHouseholdObject = (household: string) => real.household(household);
export const getGroupObject = (household: string, group: string) =>
  real.group(`${household}/${group}`);
export const getSourceObject = (household: string, source: string) =>
  real.source(`${household}/${source}`);
export const { prepare } = real;
