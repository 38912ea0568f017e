/** Turns the addresses of files that were sent by an upload link into files of the message that names them. */
import { findLinkedUpload } from "../../attachments/linked-uploads.ts";
import type { Principal } from "../../auth/principal.ts";
import type { StagedBlob } from "../../contracts/thread-uploads.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { isMap, type Json } from "../../mess/json.ts";
import { findUploadDay } from "../../mess/names.ts";
import { ok } from "../../mess/result.ts";
import { mapMedia } from "../../mess/wire/content/content.ts";
import type { Message } from "../../mess/wire/schema.ts";
import type { ExchangeBindings } from "../with-thread.ts";

/** The uploads that the message names; `withStoredBlobs` copies them. */
export interface MessageWithUploads {
  message: Message;
  uploads: StagedBlob[];
}

const UPLOAD_PATTERN = /^content:\/\/(upload-[^/]+)\//;

const readUploadId = (value: Json): string | undefined => {
  const resource = isMap(value) ? value["resource"] : undefined;
  const id = typeof resource === "string" ? UPLOAD_PATTERN.exec(resource)?.[1] : undefined;
  return id !== undefined && findUploadDay(id) !== undefined ? id : undefined;
};

export const refuseMissingUpload = (): Outcome<never> =>
  refuse(
    "unknown_attachment",
    "no file was sent with the upload link, or it is older than a day",
    "Ask the person to open the link and send the photo, or make a new link.",
  );

/** Adopts the files of all messages. They stay stored where the call is refused, so that it can be repeated. */
export async function adoptUploads(
  env: Pick<ExchangeBindings, "BLOBS">,
  sender: Pick<Principal, "household" | "actor">,
  messages: readonly Message[],
): Promise<Outcome<MessageWithUploads[]>> {
  const adopted: MessageWithUploads[] = [];
  for (const message of messages) {
    const one = await adoptMessage(env, sender, message);
    if (!one.ok) return one;
    adopted.push(one.value);
  }
  return ok(adopted);
}

async function adoptMessage(
  env: Pick<ExchangeBindings, "BLOBS">,
  sender: Pick<Principal, "household" | "actor">,
  message: Message,
): Promise<Outcome<MessageWithUploads>> {
  const ids = new Set<string>();
  mapMedia(message, (value) => {
    const id = readUploadId(value);
    if (id !== undefined) ids.add(id);
    return value;
  });
  if (ids.size === 0) return ok({ message, uploads: [] });
  const uploads: StagedBlob[] = [];
  for (const id of ids) {
    const sent = await findLinkedUpload(env.BLOBS, sender, id);
    if (!sent) return refuseMissingUpload();
    uploads.push(sent);
  }
  const changed = mapMedia(message, (value) => {
    const id = readUploadId(value);
    if (id === undefined) return value;
    const { resource: _resource, ...details } = value as Record<string, Json>;
    return { ...details, file: id };
  });
  return ok({ message: changed, uploads });
}
