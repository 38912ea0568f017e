/** The view in the address: `#agents`, or `#agents/{session}/{group}`. */
import { h } from "../../respond/ui/dom.js";
import { groupText } from "./texts.js";

export const LIST_HASH = "#agents";

/** @param {string} session @param {string} group */
export const getGroupHash = (session, group) => `${LIST_HASH}/${session}/${group}`;

/**
 * @returns {{ session: string, group_id?: undefined } | { session: string, group_id: string } | undefined} undefined for
 * the inbox itself
 */
export function readHash() {
  const [name, session = "", group_id] = location.hash.split("/");
  if (name !== LIST_HASH) return undefined;
  return group_id !== undefined && /^\w+$/.test(session) && /^\w+$/.test(group_id)
    ? { session, group_id }
    : { session };
}

/** @param {string} href */
export const buildBack = (href) =>
  h(
    "a",
    { class: "brand", href },
    h("span", { class: "chevron", "aria-hidden": "true" }),
    groupText("back"),
  );
