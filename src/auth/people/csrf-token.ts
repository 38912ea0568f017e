/** Forms that another site cannot send: a token in the page that fits a cookie of the same browser. */
import { writeCookie, readCookie } from "./cookies.ts";
import { deriveSecret, generateSecret } from "../hash.ts";

const COOKIE_NAME = "__Host-mess-form";
const NONCE_PATTERN = /^[0-9a-f]{64}$/;

export interface FormToken {
  /** Goes into the form as `form`. */
  token: string;
  /** To be set with the page, where the browser had none. */
  cookie?: string;
}

const readNonce = (request: Request): string | undefined => {
  const nonce = readCookie(request, COOKIE_NAME);
  return nonce !== undefined && NONCE_PATTERN.test(nonce) ? nonce : undefined;
};

const deriveToken = (secret: string, nonce: string): Promise<string> =>
  deriveSecret(secret, "mess form", nonce);

/** A browser keeps one cookie for all its tabs. */
export async function makeFormToken(secret: string, request: Request): Promise<FormToken> {
  const known = readNonce(request);
  const nonce = known ?? generateSecret();
  const token = await deriveToken(secret, nonce);
  return known === undefined ? { token, cookie: writeCookie(COOKIE_NAME, nonce) } : { token };
}

/** Whether the form came from a page of ours in this browser. */
export async function isValidFormToken(
  secret: string,
  request: Request,
  token: string | undefined,
): Promise<boolean> {
  const site = request.headers.get("Sec-Fetch-Site");
  const nonce = readNonce(request);
  if (nonce === undefined || token === undefined || (site !== null && site !== "same-origin"))
    return false;
  return token === (await deriveToken(secret, nonce));
}
