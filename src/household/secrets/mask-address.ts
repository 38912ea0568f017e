/**
 * Splits an address into its origin, which owners may see, and the rest, which may contain a secret: path, query,
 * fragment or user info. Pure.
 */
import { replaceLiterals } from "./secret-references.ts";

/** Groups: scheme, user info, host with port, the first delimiter, and the rest. URL parsers read `\` as `/`. */
const WEB_ADDRESS_PATTERN =
  /^(\s*(?:https?|wss?):\/\/)(?:([^/?#\\]*)@)?([^/?#\\@]*)(?:([/?#\\])(.*))?$/is;

/** An address with another scheme, which may have a secret in place of the host: `tgram://bot-token/chat`. */
const OTHER_ADDRESS_PATTERN = /^\s*[a-z][a-z0-9+.-]*:\/\/./i;

export type AddressPart = "user" | "rest";

export const isAddress = (text: string): boolean =>
  WEB_ADDRESS_PATTERN.test(text) || OTHER_ADDRESS_PATTERN.test(text);

/**
 * Returns the address with `hide` applied to every literal part that may be secret; references stay. Undefined for a
 * text that is not a web address: all of it may be secret.
 */
export function maskAddress(
  text: string,
  hide: (piece: string, part: AddressPart) => string,
): string | undefined {
  const [, scheme, user, host, begin = "", rest = ""] = WEB_ADDRESS_PATTERN.exec(text) ?? [];
  if (scheme === undefined || host === undefined) return undefined;
  const hidePart = (piece: string, part: AddressPart): string =>
    replaceLiterals(piece, (literal) => hide(literal, part));
  const before = user === undefined ? "" : `${hidePart(user, "user")}@`;
  return `${scheme}${before}${host}${begin}${hidePart(rest, "rest")}`;
}
