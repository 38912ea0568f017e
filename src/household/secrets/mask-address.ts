/**
 * Splits addresses into the origin, which an owner may see, and everything else, which may hold a secret: a path, a
 * query, a fragment or user info. Pure.
 */
import { literalPieces } from "./secret-references.ts";

/** The scheme, user info, host with port, what begins the rest, and the rest. URL parsers read `\` as `/`. */
const WEB_ADDRESS = /^(\s*(?:https?|wss?):\/\/)(?:([^/?#\\]*)@)?([^/?#\\@]*)(?:([/?#\\])(.*))?$/is;

/** An address of any other scheme, whose secret may stand in place of the host: `tgram://bot-token/chat`. */
const OTHER_ADDRESS = /^\s*[a-z][a-z0-9+.-]*:\/\/./i;

export type AddressPart = "user" | "rest";

export const isAddress = (text: string): boolean =>
  WEB_ADDRESS.test(text) || OTHER_ADDRESS.test(text);

/**
 * The address with `hide` called for every literal piece that may be a secret; references stay. Undefined for what is
 * no web address, of which the whole may be a secret.
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
