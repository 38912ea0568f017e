/** Reads the notifications of the Cloud API. Pure. A message that is not understood is counted, so that none is lost. */
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";

const shortText = boundedTextSchema(512);
const messageText = boundedTextSchema(LIMITS.jsonTextChars);
const mediaSchema = z.looseObject({
  id: shortText,
  mime_type: shortText.optional(),
  caption: messageText.optional(),
  filename: shortText.optional(),
});
const titleSchema = z.looseObject({ title: messageText });

const messageHeadSchema = z.object({
  from: shortText,
  id: shortText,
  /** Seconds since 1970. */
  timestamp: shortText,
  type: shortText,
});
const messageSchema = z.looseObject({
  ...messageHeadSchema.shape,
  text: z.looseObject({ body: messageText }).optional(),
  context: z.looseObject({ id: shortText.optional() }).optional(),
  image: mediaSchema.optional(),
  video: mediaSchema.optional(),
  audio: mediaSchema.optional(),
  document: mediaSchema.optional(),
  sticker: mediaSchema.optional(),
  location: z
    .looseObject({ latitude: z.number(), longitude: z.number(), name: shortText.optional() })
    .optional(),
  button: z.looseObject({ text: messageText }).optional(),
  interactive: z
    .looseObject({ button_reply: titleSchema.optional(), list_reply: titleSchema.optional() })
    .optional(),
  reaction: z.looseObject({ message_id: shortText, emoji: shortText.optional() }).optional(),
});
export type WhatsappMessage = z.output<typeof messageSchema>;
export type WhatsappMedia = z.output<typeof mediaSchema>;

const statusSchema = z.looseObject({
  id: shortText,
  status: shortText,
  timestamp: shortText,
  recipient_id: shortText.optional(),
  errors: z.array(z.looseObject({ code: z.number() })).optional(),
});
export type WhatsappStatus = z.output<typeof statusSchema>;

const payloadSchema = z.looseObject({
  object: z.literal("whatsapp_business_account"),
  entry: z
    .array(
      z.looseObject({
        changes: z
          .array(z.looseObject({ field: shortText.optional(), value: z.unknown() }))
          .max(1_000),
      }),
    )
    .max(1_000),
});
const metadataSchema = z.looseObject({ phone_number_id: shortText });
const valueSchema = z.looseObject({
  metadata: z.looseObject({
    ...metadataSchema.shape,
    display_phone_number: shortText.optional(),
  }),
  contacts: z
    .array(
      z.looseObject({
        wa_id: shortText.optional(),
        profile: z.looseObject({ name: shortText.optional() }).optional(),
      }),
    )
    .default([]),
  messages: z.array(z.unknown()).default([]),
  statuses: z.array(z.unknown()).default([]),
});

export interface WhatsappEvents {
  messages: { message: WhatsappMessage; name?: string; recipient: string }[];
  statuses: WhatsappStatus[];
  /** Parts for this number that are not understood. */
  unreadable: unknown[];
}

const changeSchema = z.looseObject({ metadata: metadataSchema });

/**
 * The events of one number: the app's webhook gets those of all numbers of the account. Undefined where the whole is not
 * a notification.
 */
export function readWhatsappEvents(
  payload: unknown,
  phoneNumberId: string,
): WhatsappEvents | undefined {
  const events: WhatsappEvents = { messages: [], statuses: [], unreadable: [] };
  const read = payloadSchema.safeParse(payload);
  if (!read.success) return undefined;
  for (const { value } of read.data.entry.flatMap((entry) => entry.changes)) {
    const head = changeSchema.safeParse(value);
    if (!head.success || head.data.metadata.phone_number_id !== phoneNumberId) continue;
    const parsed = valueSchema.safeParse(value);
    if (parsed.success) addEvents(events, parsed.data, phoneNumberId);
    else events.unreadable.push(value);
  }
  return events;
}

function addEvents(
  events: WhatsappEvents,
  { metadata, contacts, messages, statuses }: z.output<typeof valueSchema>,
  phoneNumberId: string,
): void {
  const recipient = metadata.display_phone_number ?? phoneNumberId;
  for (const entry of messages) {
    const whole = messageSchema.safeParse(entry);
    const read = whole.success ? whole : messageHeadSchema.safeParse(entry);
    if (!read.success) events.unreadable.push(entry);
    else {
      const message = read.data;
      const name = contacts.find(({ wa_id }) => wa_id === message.from)?.profile?.name;
      events.messages.push({ message, recipient, ...(name === undefined ? {} : { name }) });
    }
  }
  for (const status of statuses) {
    const read = statusSchema.safeParse(status);
    if (read.success) events.statuses.push(read.data);
  }
}
