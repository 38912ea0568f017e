import { refuse } from "../mess/errors.ts";

/** One refusal for every invalid credential, so that it does not reveal which part was wrong. */
export const refuseUnauthenticated = (): ReturnType<typeof refuse> =>
  refuse(
    "unauthenticated",
    "missing or invalid credential",
    "Send Authorization: Bearer with an API key of your household, or the token of a link that has not expired.",
  );

/** The token of an `Authorization: Bearer` header. */
export function readBearer(request: Request): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.get("Authorization") ?? "")?.[1];
}
