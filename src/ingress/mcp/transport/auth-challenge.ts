/** Refusals that make a client start its sign-in (RFC 6750, RFC 9728). */
import type { MessError } from "../../../mess/errors.ts";
import { getOAuthProtectedResourceMetadataUrl } from "@modelcontextprotocol/server";

interface AuthChallenge {
  status: 401 | 403;
  /** Absent if the request had no credential (RFC 6750, section 3.1). */
  error?: "invalid_token" | "insufficient_scope";
  description: string;
}

function buildChallenge(request: Request, { status, error, description }: AuthChallenge): Response {
  const { origin, pathname } = new URL(request.url);
  const metadata = getOAuthProtectedResourceMetadataUrl(new URL(pathname, origin));
  const parameters = [
    `realm="mess"`,
    ...(error === undefined ? [] : [`error="${error}"`, `error_description="${description}"`]),
    `resource_metadata="${metadata}"`,
  ];
  return Response.json(
    { error: error ?? "unauthorized", error_description: description },
    { status, headers: { "WWW-Authenticate": `Bearer ${parameters.join(", ")}` } },
  );
}

const KEY_EXPIRED_DESCRIPTION =
  "The API key has expired; ask an owner of your household for a new key";
const INVALID_DESCRIPTION =
  "The key or token is not valid; sign in again or use a key of your household";

/** Builds the refusal for a missing, invalid or expired credential, and for one that is limited to message sources. */
export const buildUnauthorized = (request: Request, { code, message }: MessError): Response =>
  code === "wrong_role"
    ? buildChallenge(request, { status: 403, error: "insufficient_scope", description: message })
    : request.headers.has("Authorization")
      ? buildChallenge(request, {
          status: 401,
          error: "invalid_token",
          description: code === "key_expired" ? KEY_EXPIRED_DESCRIPTION : INVALID_DESCRIPTION,
        })
      : buildChallenge(request, {
          status: 401,
          description: "Sign in, or send Authorization: Bearer with an API key of your household",
        });
