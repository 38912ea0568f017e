/**
 * Splits an address into its origin, which owners may see, and the rest, which may contain a secret: path, query,
 * fragment or user info. Pure.
 */
import { literalPieces } from "./secret-references.ts";

/** Groups: scheme, user info, host with port, the first delimiter, and the rest. URL parsers read `\` as `/`. */
const WEB_ADDRESS = /^(\s*(?:https?|wss?):\/\/)(?:([^/?#\\]*)@)?([^/?#\\@]*)(?:([/?#\\])(.*))?$/is;

/** An address with another scheme, which may have a secret in place of the host: `tgram://bot-token/chat`. */
const OTHER_ADDRESS = /^\s*[a-z][a-z0-9+.-]*:\/\/./i;

export type AddressPart = "user" | "rest";

export const isAddress = (text: string): boolean =>
  WEB_ADDRESS.test(text) || OTHER_ADDRESS.test(text);

/**
 * Returns the address with `hide` applied to every literal part that may be secret; references stay. Undefined for a
 * text that is not a web address: all of it may be secret.
 */
export function maskAddress(
  text: string,
  hide: (piece: string, part: AddressPart) => string,
): string | undefined {
  const [, scheme, user, host, begin = "", rest = ""] = WEB_ADDRESS.exec(text) ?? [];
  if (scheme === undefined || host === undefined) return undefined;
  const hidden = (piece: string, part: AddressPart): string =>
    literalPieces(piece, (literal) => hide(literal, part));
  const before = user === undefined ? "" : `${hidden(user, "user")}@`;
  return `${scheme}${before}${host}${begin}${hidden(rest, "rest")}`;
}
