/** The page of an upload link, on which a person sends one photo for the assistant that made the link. */
import * as z from "zod";
import { buildUploadUri } from "../../attachments/linked-uploads.ts";
import { readUploadToken, UPLOAD_LINK_MINUTES } from "../../auth/links/upload-links.ts";
import { isStillLive } from "../../auth/live-credential.ts";
import { getConfig } from "../../config.ts";
import { stageLinkedUpload } from "../../exchange/files/stage-upload.ts";
import { defined } from "../../mess/defined.ts";
import { refuse } from "../../mess/errors.ts";
import { cutFileName } from "../../mess/file-names.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { fail, ok } from "../../mess/result.ts";
import { readMediaType } from "../http/request-body.ts";
import {
  defineNoHouseholdRoute,
  type HandlerPromise,
  type HttpRoute,
  type NoHouseholdCall,
} from "../http/route.ts";
import { checkOrigin } from "./respond/check-origin.ts";
import { looseQuerySchema, serveStatic } from "./respond/page.ts";
import { checkAttemptRate } from "../../auth/rates/attempt-rate.ts";

const uploadQuerySchema = z.strictObject({
  name: boundedTextSchema(LIMITS.targetChars).optional(),
});

type UploadCall = NoHouseholdCall<z.output<typeof uploadQuerySchema>>;

async function handleUpload({ env, request, query, param }: UploadCall): HandlerPromise {
  const foreign = checkOrigin(request);
  if (foreign) return fail(foreign);
  const allowed = await checkAttemptRate(env, request, "upload");
  if (!allowed.ok) return allowed;
  const link = await readUploadToken(getConfig(env).secret, param("token"));
  if (!link || !(await isStillLive(env, link.principal)))
    return refuse(
      "link_dead",
      "the upload link is invalid or has expired",
      "Make a new one with mess_fetch upload=true.",
    );
  if (!request.body)
    return refuse("empty_message", "the body is empty", "Send the file's bytes as the body.");
  const length = request.headers.get("Content-Length");
  const stored = await stageLinkedUpload(env, link, request.body, {
    mime: readMediaType(request) || "application/octet-stream",
    ...defined({
      size: length === null ? undefined : Number(length),
      original: query.name === undefined ? undefined : cutFileName(query.name),
    }),
  });
  if (!stored.ok) return stored;
  const { mime, size } = stored.value;
  return ok({ status: 201, body: { uri: buildUploadUri(link.upload), mime, size } });
}

export const uploadPageRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "get",
    path: "/uploads/{token}",
    access: "open",
    summary: "The page of an upload link",
    produces: "text/html",
    query: looseQuerySchema,
    handle: serveStatic("/respond/add-photo/"),
  }),
  defineNoHouseholdRoute({
    method: "post",
    path: "/uploads/{token}",
    access: "open",
    summary: "Send the one file of an upload link",
    description: `mess_fetch makes such links. A link is valid for ${UPLOAD_LINK_MINUTES} minutes and for one file, and ends with the credential for which it was made. Returns {uri, mime, size}: the member can name the uri in a message for a day. The location and other metadata are removed from photos and videos.`,
    query: uploadQuerySchema,
    body: { description: "The file's bytes", types: ["application/octet-stream", "*/*"] },
    status: 201,
    handle: handleUpload,
  }),
];
