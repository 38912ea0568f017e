/** Formats a thread as a response body: MESSE-AF documents in YAML, the same documents in JSON. */
import { defined } from "../../mess/defined.ts";
import type { Attachment } from "../../mess/envelope.ts";
import type { EarlierThread, ThreadView } from "../../contracts/thread-views.ts";
import type { ThreadTextParts } from "../../exchange/read-thread-text.ts";
import {
  buildEnvelopeDocument,
  buildMessageDocument,
  joinDocumentTexts,
} from "../../mess/messe-af/write.ts";
import { DOCUMENT_SEPARATOR, writeYaml } from "../../mess/wire/serialize.ts";
import { buildTextResponse } from "./response.ts";
import type { HttpCall } from "./route.ts";

/** The public fields of an attachment. The storage key is not one of them. */
const toListedAttachment = (
  ref: string,
  suffix: string,
  { name, mime, size, original }: Attachment,
) => ({
  name,
  mime,
  size,
  ...defined({ original }),
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
 * An earlier thread with the URLs of its files.
 * @param ref the thread that refers to it
 */
export const buildEarlierThread = (ref: string, thread: EarlierThread, suffix: string = "") => ({
  ...thread,
  messages: thread.messages.map(buildMessageDocument),
  attachments: thread.attachments.map(({ name, mime, size, original }) => ({
    name,
    mime,
    size,
    ...defined({ original }),
    url: `/mess/${ref}/context/${thread.ref}/${name}${suffix}`,
  })),
});

/**
 * Builds the response of a read. `cursor` is the position for the next read or wait; in YAML it is sent in a header,
 * since MESSE-AF has no such field. Every page but the last has the address of the next one in `Link` (RFC 8288).
 */
export function buildThreadResponse(
  { request, format }: Pick<HttpCall, "request" | "format">,
  thread: ThreadTextParts,
): Response {
  const { cursor, more, text, following } = thread;
  const { head, tail } = format === "json" ? frameJson(thread) : frameYaml(thread);
  const separator = joinDocumentTexts(format, ["", ""]);
  const body = following
    ? streamTexts(streamParts(head + text, following, separator, tail))
    : head + text + tail;
  return buildTextResponse(format, body, {
    "Mess-Cursor": String(cursor),
    ...(more ? { Link: `<${buildNextAddress(request.url, cursor)}>; rel="next"` } : {}),
  });
}

interface Frame {
  head: string;
  tail: string;
}

function frameJson({ envelope, attachments, cursor, more }: ThreadTextParts): Frame {
  const listed = attachments.map((attachment) => toListedAttachment(envelope.ref, "", attachment));
  return {
    head: `{"envelope":${JSON.stringify(buildEnvelopeDocument(envelope))},"messages":[`,
    tail: `],"attachments":${JSON.stringify(listed)},"cursor":${cursor}${more ? ',"more":true' : ""}}\n`,
  };
}

const frameYaml = ({ envelope, text }: ThreadTextParts): Frame => ({
  head: writeYaml(buildEnvelopeDocument(envelope)) + (text === "" ? "" : DOCUMENT_SEPARATOR),
  tail: "",
});

async function* streamParts(
  first: string,
  following: AsyncIterable<string>,
  separator: string,
  tail: string,
): AsyncGenerator<string> {
  yield first;
  for await (const text of following) yield separator + text;
  yield tail;
}

function streamTexts(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}

/** The path and query of the next page, which is read after the cursor. */
function buildNextAddress(url: string, cursor: number): string {
  const next = new URL(url);
  next.searchParams.set("cursor", String(cursor));
  return next.pathname + next.search;
}
