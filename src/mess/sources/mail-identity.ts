/**
 * The external id of a mail: its Message-ID and a digest of its content. Anybody who knows a Message-ID can send a mail
 * with it first, and must not suppress the real one as a repetition.
 */

/** Longer Message-IDs leave no room for the digest, and no reply can name them. */
const MAX_MESSAGE_ID_CHARS = 500;
const SEPARATOR = " sha256:";

export const buildMailId = (messageId: string | undefined, digest: string): string =>
  messageId === undefined || messageId.length > MAX_MESSAGE_ID_CHARS
    ? SEPARATOR.trimStart() + digest
    : messageId + SEPARATOR + digest;

/** The Message-ID in the external id of a mail. An id without one, or of another kind of source, is returned as it is. */
export const readMailMessageId = (externalId: string): string => externalId.split(SEPARATOR)[0]!;

/** Bounds of the external ids of mails with this Message-ID, both exclusive, in the order of their characters. */
export const boundMailIds = (messageId: string): readonly [after: string, before: string] => [
  messageId + SEPARATOR,
  `${messageId}${SEPARATOR.slice(0, -1)};`,
];
