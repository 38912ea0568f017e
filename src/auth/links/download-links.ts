/**
 * Download links, for clients that cannot send their credential with a download. A link has a signed token for one file,
 * which is valid for a few minutes, and ends with the credential for which it was made.
 */
import type { WorkerSecret } from "../worker-secret.ts";
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { Principal } from "../principal.ts";
import { type LinkKind, readLinkToken, signLinkToken } from "./signed-paths.ts";

export const DOWNLOAD_LINK_MINUTES = 10;

const claimsSchema = z.object({
  ref: boundedTextSchema(LIMITS.targetChars).min(1),
  file: boundedTextSchema(LIMITS.targetChars).min(1),
});

const DOWNLOAD: LinkKind<typeof claimsSchema> = {
  type: "mess-download+jwt",
  minutes: DOWNLOAD_LINK_MINUTES,
  purpose: "mess download",
  schema: claimsSchema,
};

export interface DownloadLink {
  /** The member who may read the file. */
  principal: Principal;
  /** Full ref of the thread. */
  ref: string;
  file: string;
}

/** Returns the path of the link. */
export const makeDownloadPath = async (
  secret: WorkerSecret,
  { principal, ref, file }: DownloadLink,
): Promise<string> => `/files/${await signLinkToken(secret, DOWNLOAD, principal, { ref, file })}`;

/** Reads a token; undefined where it is invalid or has expired. The caller checks whether the credential is live. */
export async function readDownloadToken(
  secret: WorkerSecret,
  token: string,
): Promise<DownloadLink | undefined> {
  const link = await readLinkToken(secret, DOWNLOAD, token);
  return link && { principal: link.principal, ...link.claims };
}
