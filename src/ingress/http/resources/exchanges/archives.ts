/** `/api/v1/exchanges/{exchange}`: thread files for MESS clients, in JSON or as they are. */
import * as z from "zod";
import { isStillLive } from "../../../../auth/live-credential.ts";
import { refuseUnauthenticated } from "../../../../auth/unauthenticated.ts";
import { decodeBase64 } from "../../../../bytes.ts";
import {
  importArchive,
  importFiles,
  type ImportResult,
} from "../../../../exchange/archives/import-threads.ts";
import { withThread } from "../../../../exchange/with-thread.ts";
import { type Outcome, refuse } from "../../../../mess/errors.ts";
import { FILE_LIMITS, LIMITS } from "../../../../mess/limits.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { writeThreadFiles, writeThreadYaml } from "../../../../mess/messe-af/write.ts";
import { ok } from "../../../../mess/result.ts";
import {
  parseWithSchema,
  readJsonMap,
  readMediaType,
  readText,
  TEXT_TYPES,
} from "../../request-body.ts";
import {
  defineMemberRoute,
  type HandlerPromise,
  type HttpCall,
  type HttpRoute,
} from "../../route.ts";
import { exportThread } from "../threads/archives.ts";
import { ZIP_TYPES } from "../threads/import.ts";

const contentSchema = boundedTextSchema(FILE_LIMITS.bodyBytes);

const importSchema = z.union([
  z.object({ content: contentSchema }),
  z.object({
    files: z
      .array(
        z.object({
          name: boundedTextSchema(LIMITS.nameChars).min(1),
          content: contentSchema,
          encoding: z.enum(["utf-8", "base64"]).default("utf-8"),
        }),
      )
      .min(1)
      .max(1_000),
  }),
]);

async function readImport(call: HttpCall): Promise<Outcome<ImportResult>> {
  const { env, principal, request } = call;
  const type = readMediaType(request);
  if (ZIP_TYPES.includes(type))
    return request.body
      ? await importArchive(env, principal, request.body)
      : refuse("empty_message", "the body is empty", "Send the archive's bytes as the body.");
  if (type !== "application/json") {
    const text = await readText(request, FILE_LIMITS.bodyBytes);
    return text.ok ? await importFiles(env, principal, [{ name: "", text: text.value }]) : text;
  }
  const body = await readJsonMap(request, FILE_LIMITS);
  if (!body.ok) return body;
  const read = parseWithSchema(importSchema, body.value, "bad_field");
  if (!read.ok) return read;
  if ("content" in read.value)
    return await importFiles(env, principal, [{ name: "", text: read.value.content }]);
  const { files } = read.value;
  const attachments = files.filter(({ encoding }) => encoding === "base64");
  return await importFiles(
    env,
    principal,
    files
      .filter(({ encoding }) => encoding === "utf-8")
      .map(({ name, content: text }) => ({ name, text })),
    new Map(
      attachments.map(({ name, content }) => [name, decodeBase64(content) ?? new Uint8Array()]),
    ),
  );
}

/** An import writes the past of others, so that it needs an owner. */
async function importThreads(call: HttpCall): HandlerPromise {
  const { env, principal } = call;
  if (principal.role !== "owner")
    return refuse("wrong_role", "only owners import threads", "Use an owner's key.");
  if (!(await isStillLive(env, principal))) return refuseUnauthenticated();
  const done = await readImport(call);
  if (!done.ok) return done;
  const { imported: threads, refused } = done.value;
  const isFresh = threads.some(({ fresh }) => fresh);
  return ok({
    status: refused.length > 0 ? 207 : isFresh ? 201 : 200,
    body: { imported: threads.length, threads, refused },
  });
}

const exportQuerySchema = z.strictObject({ format: z.enum(["v1", "v2", "zip"]).default("v2") });

async function exportRequest(call: HttpCall<z.output<typeof exportQuerySchema>>): HandlerPromise {
  const { env, principal, param, query } = call;
  if (query.format === "zip") return await exportThread(call);
  const read = await withThread(env, principal, param("ref"), undefined, ({ stub }) =>
    stub.readThread(principal),
  );
  if (!read.ok) return read;
  const { envelope, attachments } = read.value;
  const { ref } = envelope;
  const yaml = (): string => writeThreadYaml(read.value);
  const files = writeThreadFiles(read.value).map(({ name, text }) => ({ name, content: text }));
  const base = `/api/v1/exchanges/${principal.household}`;
  const listed = attachments.map(({ name, mime, size }) => ({
    name,
    mime,
    size,
    url: `${base}/requests/${ref}/attachments/${name}`,
  }));
  return ok({
    body: {
      ref,
      format: query.format,
      ...(query.format === "v1" ? { content: yaml() } : { files }),
      attachments: listed,
    },
    yaml,
  });
}

export const exchangeArchiveRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "post",
    path: "/api/v1/exchanges/{exchange}/import",
    access: "exchange",
    summary:
      "Import threads, for owners: a file, a zip, or {content} or {files: [{name, content}]}",
    description:
      "Returns {imported: number, threads: [{ref, fresh, differences}], refused}; 207 if some were refused. encoding: base64 marks an attachment. Safe to repeat.",
    body: { description: "The thread files", types: ["application/zip", ...TEXT_TYPES] },
    handle: importThreads,
  }),
  defineMemberRoute({
    method: "get",
    path: "/api/v1/exchanges/{exchange}/export/{ref}",
    access: "exchange",
    summary: "A thread as MESSE-AF files: {ref, format, files}",
    description:
      "format: v2, the files of its directory; v1, one text as `content`; zip, the directory with its attachments. With Accept: application/yaml, the one text itself.",
    query: exportQuerySchema,
    handle: exportRequest,
  }),
];
