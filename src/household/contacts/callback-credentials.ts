/** What is known of a machine that calls back: whether or not it is well reached just now. */
import { isMap, type Json } from "../../mess/json.ts";
import { complete } from "./contacts.ts";
import type { CallingBack } from "../../contracts/contacts.ts";
import { waysOf } from "./notify-settings.ts";
import type { Stores } from "../stores.ts";
import { referencesIn, type Vault } from "../secrets/secret-vault.ts";

const urlOf = (address: Json): string => {
  const url = isMap(address) ? address["url"] : address;
  return typeof url === "string" && URL.canParse(url) ? new URL(url).origin : "";
};

/** Null for who is no executor here, and for one whose own secret was lost: the derived one must not take its place. */
export async function callingBack(
  { members }: Stores,
  vault: Vault,
  executor: string,
): Promise<CallingBack | null> {
  const member = members.executor(executor);
  const ways = waysOf(member?.notify).filter(({ kind }) => kind === "webhook" || kind === "mcp");
  const known = await vault.openAll(referencesIn(ways.map(({ address }) => address)));
  if (!member) return null;
  const origins = new Set<string>();
  let secret: string | undefined;
  for (const { kind, address: written } of ways) {
    const address = complete(kind, "address", written, known);
    if (address === undefined && kind === "webhook") return null;
    if (address === undefined) continue;
    origins.add(urlOf(address));
    const own = kind === "webhook" && isMap(address) ? address["secret"] : undefined;
    if (typeof own === "string") secret ??= own;
  }
  origins.delete("");
  return { origins: [...origins], ...(secret === undefined ? {} : { secret }) };
}
