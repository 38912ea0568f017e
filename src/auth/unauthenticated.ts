import { refuse } from "../mess/errors.ts";

/** One refusal for every invalid credential, so that it does not reveal which part was wrong. */
export const refuseUnauthenticated = (): ReturnType<typeof refuse> =>
  refuse(
    "unauthenticated",
    "missing or invalid credential",
    "Send Authorization: Bearer with an API key of your household, or the token of a link that has not expired.",
  );

/** Only the holder of the key gets it, since the household finds the key by its digest. */
export const refuseExpiredKey = (): ReturnType<typeof refuse> =>
  refuse(
    "key_expired",
    "this API key has expired",
    "Ask an owner of the household for a new key: POST /api/v1/keys.",
  );

/** The token of an `Authorization: Bearer` header. */
export function readBearer(request: Request): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.get("Authorization") ?? "")?.[1];
}
