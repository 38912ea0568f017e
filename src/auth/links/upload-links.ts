/** Upload links: whoever has one can add one file for the member that made it, such as the person in a chat. */
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { Principal } from "../principal.ts";
import type { WorkerSecret } from "../worker-secret.ts";
import { type LinkKind, readLinkToken, signLinkToken } from "./signed-paths.ts";

export const UPLOAD_LINK_MINUTES = 30;

const claimsSchema = z.object({ upload: boundedTextSchema(LIMITS.nameChars).min(1) });

const UPLOAD: LinkKind<typeof claimsSchema> = {
  type: "mess-upload+jwt",
  minutes: UPLOAD_LINK_MINUTES,
  purpose: "mess upload",
  schema: claimsSchema,
};

export interface UploadLink {
  /** The member who may use the file. */
  principal: Principal;
  /** Id of the upload. */
  upload: string;
}

/** Returns the path of the link. */
export const makeUploadPath = async (
  secret: WorkerSecret,
  { principal, upload }: UploadLink,
): Promise<string> => `/uploads/${await signLinkToken(secret, UPLOAD, principal, { upload })}`;

/** Reads a token; undefined where it is invalid or has expired. The caller checks whether the credential is live. */
export async function readUploadToken(
  secret: WorkerSecret,
  token: string,
): Promise<UploadLink | undefined> {
  const link = await readLinkToken(secret, UPLOAD, token);
  return link && { principal: link.principal, ...link.claims };
}
