/** Formats a thread as a response body: MESSE-AF documents in YAML, the same documents in JSON. */
import type { Attachment } from "../../mess/envelope.ts";
import {
  buildEnvelopeDocument,
  buildMessageDocument,
  writeThreadYaml,
} from "../../mess/messe-af/write.ts";
import type { ThreadView } from "../../contracts/thread.ts";
import type { ResponseData } from "./response.ts";

/** The public fields of an attachment. The storage key is not one of them. */
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

/**
 * Adds the URL of each attachment.
 * @param suffix appended to the URL of every attachment
 */
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

/**
 * Adds `cursor`, the position for the next read or wait. In YAML it is sent in a header, since MESSE-AF has no such
 * field.
 */
export function buildThreadResponse(view: ThreadView): ResponseData {
  const { envelope, messages, cursor } = view;
  return {
    body: buildThreadData(view),
    yaml: () => writeThreadYaml({ envelope, messages }),
    headers: { "Mess-Cursor": String(cursor) },
  };
}
