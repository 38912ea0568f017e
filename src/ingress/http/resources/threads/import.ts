/** `POST /mess/import`: imports threads from a file, or threads and configuration from an archive. */
import { importArchive, importFiles } from "../../../../exchange/archives/import-threads.ts";
import { refuse } from "../../../../mess/errors.ts";
import { FILE_LIMITS } from "../../../../mess/limits.ts";
import { ok } from "../../../../mess/result.ts";
import { readMediaType, readText, TEXT_TYPES } from "../../request-body.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";

export const ZIP_TYPES: readonly string[] = [
  "application/zip",
  "application/x-zip-compressed",
  "application/octet-stream",
];

async function importThreads(call: HttpCall): HandlerPromise {
  const done = ZIP_TYPES.includes(readMediaType(call.request))
    ? await importZip(call)
    : await importText(call);
  if (!done.ok) return done;
  return ok({ status: done.value.refused.length > 0 ? 207 : 200, body: done.value });
}

const importZip = async ({ env, principal, request }: HttpCall) =>
  request.body
    ? await importArchive(env, principal, request.body)
    : refuse("empty_message", "the body is empty", "Send the archive's bytes as the body.");

async function importText({ env, principal, request }: HttpCall) {
  const text = await readText(request, FILE_LIMITS.bodyBytes);
  return text.ok ? await importFiles(env, principal, [{ name: "", text: text.value }]) : text;
}

export const importRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "post",
    path: "/mess/import",
    access: "owner",
    summary:
      "Import a MESSE-AF file, or a zip of a thread, a household or a folder such as ~/.mess",
    description:
      "Returns {config: {warnings}, imported: [{ref, fresh, differences}], refused: [{name, error}]}, config only where the archive has a config.yaml; with status 207 if some were refused. Safe to repeat: an existing thread is not changed.",
    body: { description: "The file or the archive", types: ["application/zip", ...TEXT_TYPES] },
    handle: importThreads,
  }),
];
