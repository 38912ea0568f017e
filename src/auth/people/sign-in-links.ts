/** One-time sign-in links. The token names its household, which stores its digest and accepts it once. */
import { HOUSEHOLD_ID_PATTERN } from "../known-households.ts";
import { generateSecret, hashSha256 } from "../hash.ts";

const TOKEN_PATTERN = /^signin_([a-z0-9-]{1,63})_[0-9a-f]{64}$/;

export const SIGN_IN_PATH = "/sign-in";

export interface NewSignInLink {
  url: string;
  /** SHA-256 in hex. */
  hash: string;
}

export async function makeSignInLink(origin: string, household: string): Promise<NewSignInLink> {
  const token = `signin_${household}_${generateSecret()}`;
  return { url: `${origin}${SIGN_IN_PATH}?token=${token}`, hash: await hashSha256(token) };
}

/** Parses a link that was pasted or opened: the whole link, or only its token. */
export async function readSignInLink(
  text: string,
): Promise<{ household: string; hash: string; token: string } | undefined> {
  const token = /signin_[a-z0-9-]{1,63}_[0-9a-f]{64}/.exec(text)?.[0] ?? "";
  const household = TOKEN_PATTERN.exec(token)?.[1];
  return household !== undefined && HOUSEHOLD_ID_PATTERN.test(household)
    ? { household, hash: await hashSha256(token), token }
    : undefined;
}
