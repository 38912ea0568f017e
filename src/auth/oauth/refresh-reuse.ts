/**
 * Ends a grant when one of its rotated refresh tokens is presented again, since then the token or its successor was
 * stolen (RFC 9700, section 4.14.2). The OAuth library only refuses such a token.
 */
import type { OAuthHelpers } from "@cloudflare/workers-oauth-provider";
import * as z from "zod";
import { log } from "../../log.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { getHouseholdStub } from "../../stubs.ts";
import { hashSha256 } from "../hash.ts";
import { clearCachedGrants } from "./grants.ts";

/** A client that lost the response may present the rotated token again for this long, while its successor is unused. */
const REUSE_GRACE_MS = 60_000;
/** Longer than an idle grant lives. */
const RECORD_SECONDS = 91 * 86_400;
const MAX_SUCCESSORS = 8;

/** The form of the library's refresh tokens: user, grant and secret. */
const TOKEN_PATTERN = /^([\w-]{1,128}):([\w-]{1,128}):[\w-]{1,128}$/;

interface Family {
  user: string;
  grant: string;
}

/** A rotated token: when it was presented first, and the digests of the tokens that were issued for it. */
interface SpentToken {
  at: number;
  successors: string[];
}

export interface GrantMetadata {
  /** Id by which the households know the grant. */
  grant: string;
  /** Absent in grants of earlier versions. */
  households?: string[];
}

const metadataSchema = z.object({
  grant: boundedTextSchema(LIMITS.nameChars),
  households: z.array(boundedTextSchema(LIMITS.nameChars)).default([]),
});

type Bindings = Pick<Env, "OAUTH_KV" | "HOUSEHOLDS">;

const buildKey = ({ user, grant }: Family, digest: string): string =>
  `spent:${user}:${grant}:${digest}`;

/**
 * Exchanges the refresh token by `exchange`, unless it is used again: then ends its grant and returns undefined.
 * @param now milliseconds since 1970
 */
export async function exchangeOnce(
  env: Bindings,
  oauth: OAuthHelpers,
  token: string,
  exchange: () => Promise<Response>,
  now: number,
): Promise<Response | undefined> {
  const [, user, grant] = TOKEN_PATTERN.exec(token) ?? [];
  if (user === undefined || grant === undefined) return await exchange();
  const family = { user, grant };
  const key = buildKey(family, await hashSha256(token));
  const spent = await env.OAUTH_KV.get<SpentToken>(key, "json");
  if (spent && (await isReuse(env, family, spent, now))) {
    await endFamily(env, oauth, family);
    return undefined;
  }
  const response = await exchange();
  if (!response.ok) return response;
  const { refresh_token: next = "" } = await response.clone().json<{ refresh_token?: string }>();
  const { at, successors }: SpentToken = spent ?? { at: now, successors: [] };
  const record = { at, successors: [...successors, await hashSha256(next)].slice(-MAX_SUCCESSORS) };
  await env.OAUTH_KV.put(key, JSON.stringify(record), { expirationTtl: RECORD_SECONDS });
  return response;
}

async function isReuse(
  { OAUTH_KV }: Bindings,
  family: Family,
  { at, successors }: SpentToken,
  now: number,
): Promise<boolean> {
  if (now - at > REUSE_GRACE_MS) return true;
  const used = await Promise.all(successors.map((one) => OAUTH_KV.get(buildKey(family, one))));
  return used.some((record) => record !== null);
}

/** Ends the grant in its households, so that its access tokens end within 30 seconds, and in the library. */
async function endFamily(
  env: Bindings,
  oauth: OAuthHelpers,
  { user, grant }: Family,
): Promise<void> {
  const { items } = await oauth.listUserGrants(user);
  const found = metadataSchema.safeParse(items.find(({ id }) => id === grant)?.metadata);
  if (found.success)
    for (const household of found.data.households) {
      await getHouseholdStub(env, household).identity.revokeGrant(found.data.grant);
      clearCachedGrants(household);
      log("grant_reused", { household, grant: found.data.grant });
    }
  await oauth.revokeGrant(grant, user);
}
