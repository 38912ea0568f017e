/** Decides which texts of a configuration are secrets, by their key or by their form. Pure. */

/**
 * Matches keys that end in a word for a secret (`bot_token`, `apiKey`, `x-api-key`), and maps whose values may be
 * secrets.
 */
const SECRET_KEY_PATTERN =
  /(^|_)(secret|token|password|passwd|passphrase|pass|pwd|pin|auth|authorization|authentication|bearer|credentials?|cookies?|session|signature|sig|keys?|headers?|query|params?)$/;

/** Converts `accessToken` and `x-api-key` to `access_token` and `x_api_key`. */
const toSnakeCase = (key: string): string =>
  key
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase();

export const isSecretKey = (key: string): boolean =>
  SECRET_KEY_PATTERN.test(toSnakeCase(key)) || /apikey$/i.test(key);

const CREDENTIALS: readonly RegExp[] = [
  /^\s*(?:bearer|basic|digest)\s+\S/i,
  // Tokens with a known prefix.
  /^\s*(?:xox[a-z]-|whsec_|gh[a-z]_|github_pat_|glpat-|sk[-_]|eyJ)/,
  // `token=…` and `X-Api-Key: …` within a text.
  /(?:secret|token|passw(?:or)?d|auth|authorization|key|sig)["']?\s*[=:]\s*\S/i,
  // `user:password@host` without a scheme.
  /(?:^|\s)[^\s/@:]+:[^\s/@]+@/,
];

/** A text of letters and digits without a space, such as a random token. */
const RANDOM_TOKEN_PATTERN = /^(?=.*\d)(?=.*[a-z])[\w.~+/=:-]{20,}$/i;

/** For settings of unknown channels, which have no schema. */
export const looksSecret = (text: string): boolean =>
  CREDENTIALS.some((credential) => credential.test(text)) || RANDOM_TOKEN_PATTERN.test(text.trim());
