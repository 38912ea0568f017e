/** `/mess/{ref}/uploads`: a large file in pieces, which goes on where a connection broke. */
import * as z from "zod";
import {
  beginPieces,
  dropPieces,
  joinPieces,
  LARGEST_PIECE,
  LEAST_PIECE,
  storePiece,
} from "../../../attachments/multipart-upload.ts";
import { dropBlobs, storeBlob, tooLarge } from "../../../attachments/blob-store.ts";
import { reach, type Reached } from "../../../exchange/with-thread.ts";
import { type MessError, type Outcome, refuse } from "../../../mess/errors.ts";
import { boundedText } from "../../../mess/lengths.ts";
import { MAX_FILE_NAME_CHARACTERS } from "../../../mess/file-names.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { attachmentKind } from "../../../mess/refs.ts";
import { fail, ok } from "../../../mess/result.ts";
import type { StagedBlob, StoredPiece, Transfer } from "../../../contracts/thread.ts";
import { refusal } from "../response.ts";
import { attachFault, repeatableId, staged } from "./attachments.ts";
import { readBytes, readObject, TEXT_TYPES } from "../request-body.ts";
import { sessionQuery } from "../parameters.ts";
import { type Call, type Handled, memberRoute, type Route } from "../route.ts";

const uploadBody = z.strictObject({
  name: boundedText(MAX_FILE_NAME_CHARACTERS).min(1).exactOptional(),
  mime: boundedText(LIMITS.mimeTypeChars).default("application/octet-stream"),
  /** Bytes. */
  size: z.int().min(1),
  keep_location: z.boolean().default(false),
});

const OFFSET = "Upload-Offset";

/** How far the transfer has come, and the file's token once it is whole. */
function told({ id, offset, size }: Transfer, status: 200 | 201 = 200) {
  const headers = { [OFFSET]: String(offset), "Upload-Length": String(size) };
  return ok({ status, body: { upload: id, offset, size, piece: LEAST_PIECE }, headers });
}

async function begin(call: Call): Handled {
  const { env, principal, request } = call;
  return await reach(env, principal, call.param("ref"), undefined, async ({ stub, ref }) => {
    const may = await stub.mayUpload(principal);
    if (!may.ok) return may;
    const fault = attachFault(principal);
    if (fault) return fail(fault);
    const body = await readObject(request, uploadBody);
    if (!body.ok) return body;
    const { name, mime, size, keep_location } = body.value;
    if (size > LIMITS.upload) return tooLarge();
    const begun = await stub.beginTransfer(principal, {
      id: (await repeatableId(call, ref)) ?? crypto.randomUUID(),
      actor: principal.actor,
      declared: mime,
      size,
      hidePlace: principal.scope !== undefined && !keep_location,
      ...(name === undefined ? {} : { original: name }),
    });
    return begun.ok ? told(begun.value, 201) : begun;
  });
}

/** Runs `act` on the caller's transfer of the path. */
const withTransfer = (
  call: Call,
  act: (reached: Reached, transfer: Transfer) => Handled,
): Handled =>
  reach(call.env, call.principal, call.param("ref"), undefined, async (reached) => {
    const transfer = await reached.stub.transfer(call.principal, call.param("id"));
    return transfer.ok ? await act(reached, transfer.value) : transfer;
  });

const show = (call: Call): Handled =>
  withTransfer(call, async (_reached, transfer) => told(transfer));

/** A refusal that says how far the file has come. */
function conflict({ request }: Call, offset: number): Outcome<Response> {
  const error: MessError = {
    code: "offset_conflict",
    message: `the exchange has ${offset} bytes of this file`,
    hint: `Go on from there, with the header ${OFFSET}: ${offset}.`,
  };
  return ok(refusal(request, error, { [OFFSET]: String(offset) }));
}

const takePiece = (call: Call): Handled =>
  withTransfer(call, async (reached, transfer) => {
    const given = call.request.headers.get(OFFSET) ?? "";
    const { offset, size } = transfer;
    if (given !== String(offset)) return conflict(call, offset);
    const bytes = await readBytes(call.request, LARGEST_PIECE);
    if (!bytes.ok) return bytes;
    const fault = pieceFault(transfer, bytes.value.length);
    if (fault) return fail(fault);
    if (bytes.value.length === size) return await takeWhole(call, reached, transfer, bytes.value);
    if (offset === size) return await finish(call, reached, transfer);
    const stored = await store(call, transfer, bytes.value);
    const moved = await reached.stub.advanceTransfer(call.principal, transfer.id, stored);
    if (!moved.ok) {
      if (transfer.multipart === undefined) await dropPieces(call.env.BLOBS, stored);
      return moved;
    }
    return moved.value.offset === size
      ? await finish(call, reached, moved.value)
      : told(moved.value);
  });

/** Why R2 would not take a piece of this length here. */
function pieceFault({ offset, size, piece }: Transfer, length: number): MessError | undefined {
  const end = offset + length;
  if (end === size) return undefined;
  if (end < size && length >= LEAST_PIECE && length === (piece ?? length)) return undefined;
  return {
    code: "bad_attachment",
    message: `a piece of ${length} bytes at ${offset} does not fit into a file of ${size}`,
    hint: `Send pieces of ${piece ?? LEAST_PIECE} bytes, the last one as long as what is left.`,
  };
}

async function store(call: Call, transfer: Transfer, bytes: Uint8Array): Promise<StoredPiece> {
  const { BLOBS } = call.env;
  const { offset, key, multipart, mime, declared, pieces } = transfer;
  const place =
    key === undefined || multipart === undefined || mime === undefined
      ? await beginPieces(BLOBS, call.principal.household, bytes, declared)
      : { key, multipart, mime };
  const number = pieces.length + 1;
  const etag = await storePiece(BLOBS, place, number, bytes);
  return { from: offset, length: bytes.length, number, etag, ...place };
}

async function takeWhole(
  call: Call,
  reached: Reached,
  transfer: Transfer,
  bytes: Uint8Array,
): Handled {
  const { declared, original, hidePlace } = transfer;
  const about = { mime: declared, hidePlace, ...(original === undefined ? {} : { original }) };
  const stored = await storeBlob(call.env.BLOBS, call.principal.household, bytes, about);
  return stored.ok ? await end(call, reached, transfer, stored.value) : stored;
}

/** All pieces are there. Done again after a call that broke off here, it comes to the same. */
async function finish(call: Call, reached: Reached, transfer: Transfer): Handled {
  const { BLOBS } = call.env;
  const { key, multipart, mime = "", pieces, hidePlace, original } = transfer;
  const { stub } = reached;
  const done = await doneBefore(call, reached, transfer);
  if (done) return done;
  const place = key === undefined || multipart === undefined ? undefined : { key, multipart };
  const size = place && (await joinPieces(BLOBS, place, pieces, hidePlace));
  if (place === undefined || size === undefined) {
    await stub.dropTransfer(call.principal, transfer.id);
    return refuse("bad_attachment", "the pieces are no longer stored", "Begin the upload anew.");
  }
  const kind = attachmentKind(mime);
  const about = original === undefined ? {} : { original };
  return await end(call, reached, transfer, {
    token: "",
    key: place.key,
    kind,
    mime,
    size,
    ...about,
  });
}

async function doneBefore(
  { principal }: Call,
  { stub }: Reached,
  { id, token }: Transfer,
): Promise<Outcome<ReturnType<typeof staged>> | undefined> {
  if (token === undefined) return undefined;
  const ended = await stub.endTransfer(principal, id);
  return ended.ok ? ok(staged(ended.value, 200)) : ended;
}

/** The thread remembers the file until a message names it. */
async function end(call: Call, { stub }: Reached, { id }: Transfer, stored: StagedBlob): Handled {
  const blob = { ...stored, token: `upload-${id}` };
  const ended = await stub.endTransfer(call.principal, id, blob);
  if (!ended.ok || ended.value.key !== blob.key) await dropBlobs(call.env.BLOBS, [blob.key]);
  return ended.ok ? ok(staged(ended.value, 200)) : ended;
}

export const uploadRoutes: readonly Route[] = [
  memberRoute({
    method: "post",
    path: "/mess/{ref}/uploads",
    access: "visitor",
    summary: "Begin to upload a file in pieces",
    description:
      "Answers with {upload, offset, piece}: send pieces of that many bytes with PATCH, the last one as long as what is left. An upload that stands for a day is dropped.",
    query: sessionQuery,
    body: { description: "{name, mime, size}", types: TEXT_TYPES, schema: uploadBody },
    status: 201,
    handle: begin,
  }),
  memberRoute({
    method: "get",
    path: "/mess/{ref}/uploads/{id}",
    access: "visitor",
    summary: "How far an upload has come; HEAD has it in Upload-Offset",
    query: sessionQuery,
    handle: show,
  }),
  memberRoute({
    method: "patch",
    path: "/mess/{ref}/uploads/{id}",
    access: "visitor",
    summary: "The next piece of an upload, at Upload-Offset",
    description:
      "The last piece answers with {file, name, mime, size}, as an upload in one call does. An empty piece at the end asks for that answer again.",
    query: sessionQuery,
    body: { description: "The piece's bytes", types: ["application/octet-stream", "*/*"] },
    handle: takePiece,
  }),
];
