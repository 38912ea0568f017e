/** A thread as it goes out: the file's own form in YAML, the same documents in JSON. */
import type { Attachment } from "../../mess/envelope.ts";
import { envelopeDocument, messageDocument, threadYaml } from "../../mess/messe-af/write.ts";
import type { ThreadView } from "../../thread/stub.ts";
import type { Told } from "./answer.ts";

/** What callers learn of an attachment: nothing of where its bytes lie. */
const listed = (ref: string, { name, mime, size, original }: Attachment) => ({
  name,
  mime,
  size,
  ...(original === undefined ? {} : { original }),
  url: `/mess/${ref}/attachments/${name}`,
});

/** `cursor` is where to go on reading or waiting; YAML has it in the header, since the file knows no such field. */
export function threadBody({ envelope, messages, attachments, cursor }: ThreadView): Told {
  return {
    body: {
      envelope: envelopeDocument(envelope),
      messages: messages.map(messageDocument),
      attachments: attachments.map((attachment) => listed(envelope.ref, attachment)),
      cursor,
    },
    yaml: () => threadYaml({ envelope, messages }),
    headers: { "Mess-Cursor": String(cursor) },
  };
}
