/** CSRF protection of forms: a token in the page must match a cookie of the same browser. */
import { getCurrent, listAccepted, type WorkerSecret } from "../worker-secret.ts";
import { writeCookie, readCookie } from "./cookies.ts";
import { deriveSecret, generateSecret } from "../hash.ts";

const COOKIE_NAME = "__Host-mess-form";
const NONCE_PATTERN = /^[0-9a-f]{64}$/;

export interface FormToken {
  /** Value of the form field `form`. */
  token: string;
  /** `Set-Cookie` value to send with the page, if the browser had no cookie. */
  cookie?: string;
}

const readNonce = (request: Request): string | undefined => {
  const nonce = readCookie(request, COOKIE_NAME);
  return nonce !== undefined && NONCE_PATTERN.test(nonce) ? nonce : undefined;
};

const deriveToken = (secret: string, nonce: string): Promise<string> =>
  deriveSecret(secret, "mess form", nonce);

/** Creates a token. All tabs of a browser share one cookie. */
export async function makeFormToken(secret: WorkerSecret, request: Request): Promise<FormToken> {
  const known = readNonce(request);
  const nonce = known ?? generateSecret();
  const token = await deriveToken(getCurrent(secret), nonce);
  return known === undefined ? { token, cookie: writeCookie(COOKIE_NAME, nonce) } : { token };
}

/** True if the form was sent from one of our pages in this browser. */
export async function isValidFormToken(
  secret: WorkerSecret,
  request: Request,
  token: string | undefined,
): Promise<boolean> {
  const site = request.headers.get("Sec-Fetch-Site");
  const nonce = readNonce(request);
  if (nonce === undefined || token === undefined || (site !== null && site !== "same-origin"))
    return false;
  const accepted = listAccepted(secret).map((one) => deriveToken(one, nonce));
  return (await Promise.all(accepted)).includes(token);
}
