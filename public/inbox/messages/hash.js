/** The view in the address: `#messages`, or `#messages/{session}/{source}/{id}` of a message or draft. */
import { h } from "../../respond/ui/dom.js";

export const LIST_HASH = "#messages";

/** @param {{ session: string, source: string }} place @param {string} id of a message or draft */
export const getHash = ({ session, source }, id) => `${LIST_HASH}/${session}/${source}/${id}`;

/** @typedef {{ session: string, source: string, id: string }} MessagePlace */

/** @returns {"list" | MessagePlace | undefined} undefined for the inbox itself */
export function readHash() {
  const [name, session = "", source = "", id = ""] = location.hash.split("/");
  if (name !== LIST_HASH) return undefined;
  const isPlace = /^[0-9a-f]+$/.test(session) && /^[a-z0-9-]+$/.test(source) && /^\w+$/.test(id);
  return isPlace ? { session, source, id } : "list";
}

/** @param {string} href @param {string} label */
export const buildBack = (href, label) =>
  h("a", { class: "brand", href }, h("span", { class: "chevron", "aria-hidden": "true" }), label);
