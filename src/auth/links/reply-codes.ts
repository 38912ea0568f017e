/**
 * The code by which an answer by email finds its thread: `{household}_{ref}_{mac}`, in the address that mails are
 * answered to and in the thread's message id, which every answer cites. It is signed for the one address that it was
 * sent to, and read in any case, since mail servers change it.
 */
import { isSameMac, computeShortMac } from "./short-mac.ts";

const CODE_PATTERN = /^([a-z0-9-]{1,63})_([a-z0-9=-]{1,384})_([0-9a-z]{16})$/;

/** Characters of the part before the `@` (RFC 5321, 4.5.3.1.1). */
const MAX_LOCAL_PART_CHARS = 64;
const REPLY_PREFIX = "reply";

export interface ReplyCode {
  household: string;
  ref: string;
}

const computeMac = (
  secret: string,
  { household, ref }: ReplyCode,
  address: string,
): Promise<string> =>
  computeShortMac(secret, "mess reply address", `${household} ${ref} ${address.toLowerCase()}`);

/** Signs other than small letters, digits and dashes as `=` and two hex digits. */
const escapeRef = (ref: string): string =>
  ref.replaceAll(/[^a-z0-9-]/g, (sign) => `=${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);

const unescapeRef = (text: string): string =>
  text.replaceAll(/=([0-9a-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );

/**
 * @param secret MESS_SECRET
 * @param address whom the mail goes to
 */
export async function makeReplyCode(
  secret: string,
  code: ReplyCode,
  address: string,
): Promise<string> {
  return `${code.household}_${escapeRef(code.ref)}_${await computeMac(secret, code, address)}`;
}

/** Where the code leads; undefined for every text that we did not make for this address. */
export async function readReplyCode(
  secret: string,
  text: string,
  address: string,
): Promise<ReplyCode | undefined> {
  const [, household, name, mac] = CODE_PATTERN.exec(text.toLowerCase()) ?? [];
  if (household === undefined || name === undefined || mac === undefined) return undefined;
  const code = { household, ref: unescapeRef(name) };
  return (await isSameMac(mac, await computeMac(secret, code, address))) ? code : undefined;
}

/** The address for answers; without the code where that makes it longer than mail allows. */
export function buildReplyAddress(code: string, domain: string): string {
  const local = `${REPLY_PREFIX}+${code}`;
  return `${local.length <= MAX_LOCAL_PART_CHARS ? local : REPLY_PREFIX}@${domain}`;
}

/** The message id that stands for the thread in all its mails. */
export const buildThreadMessageId = (code: string, domain: string): string => `<${code}@${domain}>`;

/** What may be codes in the address that a mail came to, and in the message ids that it cites; at most eight. */
export function findReplyCodes(to: string, cited: string): string[] {
  const local = /^reply\+([^@]+)@/i.exec(to)?.[1];
  const ids = Array.from(cited.matchAll(/<([^<>@\s]{1,512})@/g), ([, id]) => id ?? "");
  const codes = [...(local === undefined ? [] : [local]), ...ids];
  return codes.filter((one) => CODE_PATTERN.test(one.toLowerCase())).slice(0, 8);
}
