/** Requests as MESS clients read them: the envelope's fields under the names that they know. */
import { defined } from "../../../../mess/defined.ts";
import type { ResourceView } from "../../../../contracts/thread-views.ts";
import type { Envelope, MessageDocument } from "../../../../mess/envelope.ts";
import { type StatusStyle, writeStatus } from "./status-style.ts";

export const showRequest = (
  {
    ref,
    client_id,
    status,
    intent,
    requestor,
    executor,
    priority,
    created,
    updated,
    expires,
  }: Omit<Envelope, "history">,
  style: StatusStyle,
) => ({
  ref,
  ...defined({ id: client_id }),
  status: writeStatus(status, style),
  intent,
  priority,
  requestor_id: requestor,
  executor_id: executor,
  created_at: created,
  updated_at: updated,
  ...defined({ expires_at: expires }),
});

const showMessage = ({ from, received, channel, re, MESS }: MessageDocument) => ({
  from,
  ts: received,
  ...defined({ channel, re }),
  mess: MESS,
});

/** @param base path of the exchange, below which its files are */
export const showThread = (
  { envelope, messages, attachments }: ResourceView,
  style: StatusStyle,
  base: string,
) => ({
  ...showRequest(envelope, style),
  history: envelope.history,
  messages: messages.map(showMessage),
  attachments: attachments.map(({ name, mime, size, original }) => ({
    name,
    mime,
    size,
    ...defined({ original }),
    url: `${base}/requests/${envelope.ref}/attachments/${name}`,
  })),
});
