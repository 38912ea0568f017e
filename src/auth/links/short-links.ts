/**
 * The short form of a link, for channels with short messages: `/r/{household}_{ref}_{number}{mac}`. It is signed, not
 * stored: the names lead to the thread's object, which knows the link with that number, so no table of links is needed.
 * The 80-bit MAC prevents guessing, and rejects forged codes before any object is called.
 */
import { findAccepted, getCurrent, type WorkerSecret } from "../worker-secret.ts";
import { type LinkInput, makeLink } from "./links.ts";
import { isSameMac, computeShortMac } from "./short-mac.ts";

const CODE_PATTERN =
  /^([a-z0-9-]{1,63})_([A-Za-z0-9][A-Za-z0-9._:-]{0,127})_([0-9a-z]{1,6})([0-9a-z]{16})$/;

/** The contents of a short code: a link of the thread, by number. */
export interface ShortCode {
  household: string;
  ref: string;
  number: number;
}

const computeMac = (secret: string, { household, ref, number }: ShortCode): Promise<string> =>
  computeShortMac(secret, "mess short link", `${household} ${ref} ${number}`);

export async function makeShortCode(secret: WorkerSecret, code: ShortCode): Promise<string> {
  const { household, ref, number } = code;
  return `${household}_${ref}_${number.toString(36)}${await computeMac(getCurrent(secret), code)}`;
}

/** Verifies a code; undefined for any text that is not a valid code. */
export async function readShortCode(
  secret: WorkerSecret,
  text: string,
): Promise<ShortCode | undefined> {
  const [, household, ref, number, mac] = CODE_PATTERN.exec(text) ?? [];
  if (household === undefined || ref === undefined || number === undefined || mac === undefined)
    return undefined;
  const code = { household, ref, number: Number.parseInt(number, 36) };
  if (number !== code.number.toString(36)) return undefined;
  return await findAccepted(secret, async (one) =>
    (await isSameMac(mac, await computeMac(one, code))) ? code : undefined,
  );
}

/** The long and the short address of a link at this origin. The thread assigned the `number`. */
export async function buildLinkAddresses(
  secret: WorkerSecret,
  origin: string,
  link: LinkInput,
  number: number,
): Promise<{ url: string; short_url: string }> {
  const { household, ref } = link;
  const query = new URLSearchParams({ ref, token: await makeLink(secret, link) });
  const code = await makeShortCode(secret, { household, ref, number });
  return { url: `${origin}/respond?${query.toString()}`, short_url: `${origin}/r/${code}` };
}
