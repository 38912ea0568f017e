/** Display names of the household's members: the names of executors, else ids. */
import { api } from "./household.js";

/** @type {Map<string, ConsoleExecutor>} */
let executors = new Map();

/** @returns {Promise<ConsoleExecutor[]>} */
export async function loadExecutors() {
  const listed = /** @type {{ executors: ConsoleExecutor[] }} */ (await api("/api/v1/executors"))
    .executors;
  executors = new Map(listed.map((one) => [one.id, one]));
  return listed;
}

/** @param {string} id */
export const nameMember = (id) => executors.get(id)?.name ?? id;

/** Ids of capabilities, without their settings. @param {ConsoleExecutor} executor */
export const listCapabilities = ({ capabilities = [] }) =>
  capabilities.flatMap((one) => (typeof one === "string" ? [one] : Object.keys(one)));
