/** The ids of groups, members and messages: a prefix and random characters. The random bytes are given, since the core has none. */

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
/** Characters after the prefix; decision 70 asks for at least 8. */
const ID_CHARS = 12;
export const ID_BYTES = ID_CHARS;

/** A group, or one of the two pools. */
const GROUP_ID_PATTERN = /^(?:g_[0-9a-z]{8,32}|agents|ops)$/;
export const isGroupId = (id: string): boolean => GROUP_ID_PATTERN.test(id);

const MEMBER_ID_PATTERN = /^[ao]_[0-9a-z]{8,32}$/;
/** A member of a group or pool. Other ids are those of executors of the household. */
export const isMemberId = (id: string): boolean => MEMBER_ID_PATTERN.test(id);

export type GroupIdPrefix = "g" | "o" | "a" | "msg";

/** @param bytes ID_BYTES random bytes. A byte modulo 36 favors some characters slightly; 60 bits remain. */
export const buildGroupId = (prefix: GroupIdPrefix, bytes: Uint8Array): string =>
  `${prefix}_${Array.from(bytes.subarray(0, ID_CHARS), (byte) => ALPHABET[byte % ALPHABET.length]).join("")}`;

/** The sender of the exchange's own messages. */
export const EXCHANGE_SENDER = "exchange";

/**
 * The id of a message ends with its position in base 36, so that it is found without an index. Only those of the
 * household's notices, which it chooses before they have a position, end with their random characters.
 */
export const buildMessageId = (seq: number, bytes: Uint8Array): string =>
  buildGroupId("msg", bytes) + seq.toString(36);

const MESSAGE_ID_PATTERN = /^msg_[0-9a-z]{12}([1-9a-z][0-9a-z]{0,7})$/;

/** The position that a message's id names; undefined for other texts. */
export function parseMessageSeq(id: string): number | undefined {
  const digits = MESSAGE_ID_PATTERN.exec(id)?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 36);
}
