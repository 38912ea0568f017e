/** Serves the raw bytes or an attachment of a message of a source. */
import { serveAttachment } from "../../attachments/serve-attachment.ts";
import { locateSourceFile } from "../../exchange/source-calls/source-messages.ts";
import type { HandlerPromise, HttpCall } from "./route.ts";

/** The path of the call has the source and the id of the message. */
export async function serveSourceFile(call: HttpCall, part: "raw" | number): HandlerPromise {
  const { env, principal, param, request } = call;
  const found = await locateSourceFile(env, principal, param("source"), param("id"), part);
  if (!found.ok) return found;
  const { name: original, ...file } = found.value;
  const name = `${param("id")}-${part}`;
  return await serveAttachment(env.BLOBS, { ...file, name, original, serial: 0 }, request);
}
