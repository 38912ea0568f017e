/** A thread as it goes out: the file's own form in YAML, the same documents in JSON. */
import type { Attachment } from "../../mess/envelope.ts";
import {
  buildEnvelopeDocument,
  buildMessageDocument,
  writeThreadYaml,
} from "../../mess/messe-af/write.ts";
import type { ThreadView } from "../../contracts/thread.ts";
import type { ResponseData } from "./response.ts";

/** What callers learn of an attachment: nothing of where its bytes lie. */
const toListedAttachment = (
  ref: string,
  suffix: string,
  { name, mime, size, original }: Attachment,
) => ({
  name,
  mime,
  size,
  ...(original === undefined ? {} : { original }),
  url: `/mess/${ref}/attachments/${name}${suffix}`,
});

/** @param suffix goes behind the address of every attachment */
export const buildThreadData = (
  { envelope, messages, attachments, cursor }: ThreadView,
  suffix: string = "",
) => ({
  envelope: buildEnvelopeDocument(envelope),
  messages: messages.map(buildMessageDocument),
  attachments: attachments.map((attachment) =>
    toListedAttachment(envelope.ref, suffix, attachment),
  ),
  cursor,
});

/** `cursor` is where to go on reading or waiting; YAML has it in the header, since the file knows no such field. */
export function buildThreadResponse(view: ThreadView): ResponseData {
  const { envelope, messages, cursor } = view;
  return {
    body: buildThreadData(view),
    yaml: () => writeThreadYaml({ envelope, messages }),
    headers: { "Mess-Cursor": String(cursor) },
  };
}
