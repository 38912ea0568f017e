/** Forms that another site cannot send: a token in the page that fits a cookie of the same browser. */
import { cookie, cookieOf } from "./cookies.ts";
import { deriveSecret, randomSecret } from "../hash.ts";

const COOKIE = "__Host-mess-form";
const NONCE = /^[0-9a-f]{64}$/;

export interface FormToken {
  /** Goes into the form as `form`. */
  token: string;
  /** To be set with the page, where the browser had none. */
  cookie?: string;
}

const nonceOf = (request: Request): string | undefined => {
  const nonce = cookieOf(request, COOKIE);
  return nonce !== undefined && NONCE.test(nonce) ? nonce : undefined;
};

const tokenFor = (secret: string, nonce: string): Promise<string> =>
  deriveSecret(secret, "mess form", nonce);

/** A browser keeps one cookie for all its tabs. */
export async function formToken(secret: string, request: Request): Promise<FormToken> {
  const known = nonceOf(request);
  const nonce = known ?? randomSecret();
  const token = await tokenFor(secret, nonce);
  return known === undefined ? { token, cookie: cookie(COOKIE, nonce) } : { token };
}

/** Whether the form came from a page of ours in this browser. */
export async function isOurForm(
  secret: string,
  request: Request,
  token: string | undefined,
): Promise<boolean> {
  const site = request.headers.get("Sec-Fetch-Site");
  const nonce = nonceOf(request);
  if (nonce === undefined || token === undefined || (site !== null && site !== "same-origin"))
    return false;
  return token === (await tokenFor(secret, nonce));
}
