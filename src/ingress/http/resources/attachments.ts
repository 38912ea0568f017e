/** A thread's files: taken in as streams and kept until a message names them, given out as stored. */
import type * as z from "zod";
import { serveAttachment } from "../../../attachments/serve-attachment.ts";
import { sha256 } from "../../../auth/hash.ts";
import type { Principal } from "../../../auth/principal.ts";
import { keepFile, type NewFile } from "../../../exchange/stage-upload.ts";
import { reach, type Reached } from "../../../exchange/with-thread.ts";
import { type MessError, type Outcome, refuse } from "../../../mess/errors.ts";
import { cutFileName } from "../../../mess/file-names.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { fail, ok } from "../../../mess/result.ts";
import type { StagedBlob } from "../../../contracts/thread.ts";
import type { Told } from "../response.ts";
import { mediaType } from "../request-body.ts";
import { filesOf, readForm } from "../multipart.ts";
import { sessionQuery, uploadQuery } from "../parameters.ts";
import { type Call, type Handled, memberRoute, type Route } from "../route.ts";

type UploadCall = Call<z.output<typeof uploadQuery>>;

type Sent = Omit<NewFile, "hidePlace" | "id">;

async function upload(call: UploadCall): Handled {
  const { env, principal } = call;
  return await reach(env, principal, call.param("ref"), undefined, async (reached) => {
    const may = await reached.stub.mayUpload(principal);
    if (!may.ok) return may;
    const fault = attachFault(principal);
    if (fault) return fail(fault);
    const sent = await readSent(call);
    return sent.ok ? await keep(call, reached, sent.value) : sent;
  });
}

async function keep(call: UploadCall, { stub, ref }: Reached, sent: Sent): Handled {
  const { env, principal } = call;
  const hidePlace = principal.scope !== undefined && !call.query.keep_location;
  const id = await repeatableId(call, ref);
  const file = { ...sent, hidePlace, ...(id === undefined ? {} : { id }) };
  const kept = await keepFile(env, principal, stub, file);
  return kept.ok ? ok(staged(kept.value, 201)) : kept;
}

/** What a message needs to name the file. */
export function staged({ token, mime, size, original }: StagedBlob, status: 200 | 201): Told {
  const name = original === undefined ? {} : { name: original };
  return { status, body: { file: token, ...name, mime, size } };
}

/** A refusal where a link lets its bearer say nothing that a file could belong to. */
export const attachFault = ({ scope }: Principal): MessError | undefined =>
  scope && !scope.permissions.includes("respond")
    ? {
        code: "wrong_role",
        message: "this link does not allow to respond",
        hint: "Ask for a link with that permission.",
        valid: scope.permissions,
      }
    : undefined;

/** What names an upload, where the call's key makes it the same each time. */
export async function repeatableId(
  { key, principal }: Pick<Call, "key" | "principal">,
  ref: string,
): Promise<string | undefined> {
  if (key === undefined) return undefined;
  const digest = await sha256([principal.household, ref, principal.actor, key].join(" "));
  return digest.slice(0, 32);
}

/** The file as a stream, or the one file of a small form. */
async function readSent({ request, query }: UploadCall): Promise<Outcome<Sent>> {
  if (mediaType(request) === "multipart/form-data") {
    const form = await readForm(request);
    if (!form.ok) return form;
    const files = await filesOf(form.value);
    if (!files.ok) return files;
    const [file, ...others] = files.value;
    if (!file || others.length > 0)
      return refuse("bad_multipart", "the form needs exactly one file", "Upload one file a call.");
    const { name, ...sent } = file;
    return ok({ ...sent, original: query.name ?? name });
  }
  const length = request.headers.get("Content-Length");
  const size = length === null ? undefined : Number(length);
  if (size !== undefined && size > LIMITS.upload)
    return refuse(
      "too_large",
      `the file has more than ${LIMITS.upload} bytes`,
      "Put it where it can be fetched, and send its url.",
    );
  if (!request.body || size === 0)
    return refuse("empty_message", "the body is empty", "Send the file's bytes as the body.");
  const original = query.name ?? dispositionName(request);
  return ok({
    body: request.body,
    mime: mediaType(request) || "application/octet-stream",
    ...(size === undefined ? {} : { size }),
    ...(original === undefined ? {} : { original }),
  });
}

/** The file name of a `Content-Disposition` header, plain or in RFC 8187's form. */
function dispositionName(request: Request): string | undefined {
  const header = request.headers.get("Content-Disposition") ?? "";
  const extended = /;\s*filename\*=UTF-8''([^;\s]+)/i.exec(header)?.[1];
  try {
    if (extended !== undefined) return cutFileName(decodeURIComponent(extended));
  } catch {
    return undefined;
  }
  const plain = /;\s*filename="?([^";]+)"?/i.exec(header)?.[1]?.trim();
  return plain ? cutFileName(plain) : undefined;
}

async function download({ env, principal, request, param }: Call): Handled {
  const found = await reach(env, principal, param("ref"), undefined, ({ stub }) =>
    stub.attachment(principal, param("name")),
  );
  return found.ok ? await serveAttachment(env.BLOBS, found.value, request) : found;
}

export const attachmentRoutes: readonly Route[] = [
  memberRoute({
    method: "post",
    path: "/mess/{ref}/attachments",
    access: "visitor",
    summary: "Upload one file, as the body or as the one file of a form",
    description:
      "Answers with {file, name, mime, size}; a message of this thread then names it, as in image: {file: …}. What no message names within a day is dropped. Photos that come by a link lose the place where they were taken, unless keep_location is true.",
    query: uploadQuery,
    body: { description: "The file's bytes", types: ["application/octet-stream", "*/*"] },
    status: 201,
    handle: upload,
  }),
  memberRoute({
    method: "get",
    path: "/mess/{ref}/attachments/{name}",
    access: "visitor",
    summary: "A file of the thread, whole or a range of it",
    produces: "application/octet-stream",
    query: sessionQuery,
    handle: download,
  }),
];
