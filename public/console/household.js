/** The households in which the person is signed in, the chosen one, and calls to the API for it. */
import { call } from "../respond/send/api.js";
import { setPrefs, prefs } from "../respond/ui/preferences.js";

/** @typedef {{ id: string, name: string, actor: string, role: string, session: string }} Household */

/** @type {readonly Household[]} */
let households = [];
/** @type {Household | undefined} */
let chosen;

export const listHouseholds = () => households;

/** @returns {Household} */
export function household() {
  if (!chosen) throw new Error("no household is chosen");
  return chosen;
}

export const isOwner = () => household().role === "owner";
/** Executors and guests answer only. */
export const mayAsk = () => ["owner", "member", "agent"].includes(household().role);

/** Loads the households; the one that this device showed last is chosen again. */
export async function loadHouseholds() {
  ({ households } = await (await call("/api/v1/me")).json());
  chosen = households.find(({ id }) => id === prefs.household) ?? households[0];
}

/** @param {string} id */
export function chooseHousehold(id) {
  chosen = households.find((one) => one.id === id) ?? chosen;
  setPrefs({ household: household().id });
}

/**
 * Calls the API for the chosen household. Refusals are thrown as an `ApiError`.
 * @param {string} path
 * @param {{ method?: string, json?: unknown, headers?: Record<string, string>, signal?: AbortSignal }} [options]
 * @returns {Promise<any>}
 */
export async function api(path, { headers = {}, ...options } = {}) {
  const named = { "X-MESS-Session": household().session, ...headers };
  return await (await call(path, { ...options, headers: named })).json();
}

/**
 * Sends MESS blocks; a block that was refused is thrown.
 * @param {object[]} blocks
 * @returns {Promise<any>} the acknowledgment
 */
export async function send(...blocks) {
  const { MESS } = await api("/mess", {
    method: "POST",
    json: { MESS: blocks },
    headers: { "Idempotency-Key": crypto.randomUUID() },
  });
  return MESS[0]?.ack ?? {};
}
