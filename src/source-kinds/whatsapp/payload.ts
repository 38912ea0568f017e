/** Reads the notifications of the Cloud API. Pure. Parts that are not understood are left out. */
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

const messageSchema = z.looseObject({
  from: shortText,
  id: shortText,
  /** Seconds since 1970. */
  timestamp: shortText,
  type: shortText,
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
const valueSchema = z.looseObject({
  metadata: z.looseObject({
    phone_number_id: shortText,
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
}

/** The events of one number: the app's webhook gets those of all numbers of the account. */
export function readWhatsappEvents(payload: unknown, phoneNumberId: string): WhatsappEvents {
  const events: WhatsappEvents = { messages: [], statuses: [] };
  const read = payloadSchema.safeParse(payload);
  const changes = read.success ? read.data.entry.flatMap((entry) => entry.changes) : [];
  for (const { value } of changes) {
    const parsed = valueSchema.safeParse(value);
    if (!parsed.success || parsed.data.metadata.phone_number_id !== phoneNumberId) continue;
    const { metadata, contacts, messages, statuses } = parsed.data;
    for (const message of keepValid(messageSchema, messages)) {
      const name = contacts.find(({ wa_id }) => wa_id === message.from)?.profile?.name;
      const recipient = metadata.display_phone_number ?? phoneNumberId;
      events.messages.push({ message, recipient, ...(name === undefined ? {} : { name }) });
    }
    events.statuses.push(...keepValid(statusSchema, statuses));
  }
  return events;
}

function keepValid<T>(schema: z.ZodType<T>, values: readonly unknown[]): T[] {
  return values.flatMap((value) => {
    const read = schema.safeParse(value);
    return read.success ? [read.data] : [];
  });
}
