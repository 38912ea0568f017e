/** The names of members: names that look the same are the same. */
import { EXCHANGE_SENDER } from "./ids.ts";

/** One spelling for all that differ in case, width, composed accents, spaces or invisible characters only. */
const foldName = (name: string): string =>
  name.normalize("NFKC").replaceAll(/\s+/g, " ").replaceAll(/\p{C}/gu, "").trim().toLowerCase();

export const isSameName = (one: string, other: string): boolean =>
  foldName(one) === foldName(other);

/** The name of the exchange, also with spaces. */
export const isExchangeName = (name: string): boolean =>
  foldName(name).replaceAll(" ", "") === EXCHANGE_SENDER;

/** The one with this very name, or else with the same name in another spelling. */
export const findNamed = <T extends { name: string }>(
  members: readonly T[],
  name: string,
): T | undefined =>
  members.find((member) => member.name === name) ??
  members.find((member) => isSameName(member.name, name));
