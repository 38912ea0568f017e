/**
 * The code that leads an email reply to its thread: `{household}_{ref}_{mac}`, in the reply address and in the message
 * id of the thread, which every reply cites. It is signed for one recipient address, and read case-insensitively, since
 * mail servers change the case.
 */
import { findAccepted, getCurrent, type WorkerSecret } from "../worker-secret.ts";
import { isSameMac, computeShortMac } from "./short-mac.ts";

const CODE_PATTERN = /^([a-z0-9-]{1,63})_([a-z0-9=-]{1,384})_([0-9a-z]{16})$/;

/** Maximum length of the part before the `@` (RFC 5321, section 4.5.3.1.1). */
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

/** Encodes characters other than lower-case letters, digits and dashes as `=` and two hex digits. */
const escapeRef = (ref: string): string =>
  ref.replaceAll(
    /[^a-z0-9-]/g,
    (character) => `=${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );

const unescapeRef = (text: string): string =>
  text.replaceAll(/=([0-9a-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );

/** @param address of the mail's recipient */
export async function makeReplyCode(
  secret: WorkerSecret,
  code: ReplyCode,
  address: string,
): Promise<string> {
  return `${code.household}_${escapeRef(code.ref)}_${await computeMac(getCurrent(secret), code, address)}`;
}

/** Verifies a code; undefined for any text that is not a code made for this address. */
export async function readReplyCode(
  secret: WorkerSecret,
  text: string,
  address: string,
): Promise<ReplyCode | undefined> {
  const [, household, name, mac] = CODE_PATTERN.exec(text.toLowerCase()) ?? [];
  if (household === undefined || name === undefined || mac === undefined) return undefined;
  const code = { household, ref: unescapeRef(name) };
  return await findAccepted(secret, async (one) =>
    (await isSameMac(mac, await computeMac(one, code, address))) ? code : undefined,
  );
}

/** The reply address; without the code if the address would exceed the length that mail allows. */
export function buildReplyAddress(code: string, domain: string): string {
  const local = `${REPLY_PREFIX}+${code}`;
  return `${local.length <= MAX_LOCAL_PART_CHARS ? local : REPLY_PREFIX}@${domain}`;
}

/** The message id that all mails about the thread refer to. */
export const buildThreadMessageId = (code: string, domain: string): string => `<${code}@${domain}>`;

/** Candidates for codes in the recipient address and the cited message ids of a mail; at most eight. */
export function findReplyCodes(to: string, cited: string): string[] {
  const local = /^reply\+([^@]+)@/i.exec(to)?.[1];
  const ids = Array.from(cited.matchAll(/<([^<>@\s]{1,512})@/g), ([, id]) => id ?? "");
  const codes = [...(local === undefined ? [] : [local]), ...ids];
  return codes.filter((one) => CODE_PATTERN.test(one.toLowerCase())).slice(0, 8);
}
