/** Calls about messages and drafts of one household. */
import { getTools } from "./texts.js";

/** @param {string} session */
const buildHeaders = (session) => ({ "X-MESS-Session": session });

/** @param {string} path @param {string} session @returns {Promise<any>} */
export const get = async (path, session) =>
  await (await getTools().call(path, { headers: buildHeaders(session) })).json();

/**
 * @param {"POST" | "PATCH" | "DELETE"} method
 * @param {string} path
 * @param {string} session
 * @param {object} [json]
 * @param {string} [key] idempotency key
 * @returns {Promise<any>}
 */
export async function change(method, path, session, json, key) {
  const response = await getTools().call(path, {
    method,
    headers: { ...buildHeaders(session), ...(key ? { "Idempotency-Key": key } : {}) },
    ...(json ? { json } : {}),
  });
  return await response.json();
}

/** @param {import("./hash.js").MessagePlace} place */
export const getMessagePath = ({ source, id }) => `/sources/${source}/messages/${id}`;

/** @param {{ source: string, id: string }} draft */
export const getDraftPath = ({ source, id }) => `/sources/${source}/drafts/${id}`;

/** Approvals and their undoing have paths of their own, which no key can use. @param {{ source: string, id: string }} draft */
export const getApprovalPath = ({ source, id }) => `/inbox/drafts/${source}/${id}`;

/** @param {unknown} error @param {string} code */
export const hasCode = (error, code) =>
  /** @type {{ code?: string } | undefined} */ (error)?.code === code;
