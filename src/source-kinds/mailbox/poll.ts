/** Fetches new mails of the folder, a limited number in each poll, by their numbers (UID) in it. */
import * as z from "zod";
import { MAX_MAIL_BYTES } from "../../channels/email/parse-mail.ts";
import type { Json } from "../../mess/json.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";
import type { KindContext, ParsedMessage, PollOutcome } from "../source-kind.ts";
import { hashFolder, type MailboxSettings } from "./config.ts";
import type { ImapSession, OpenedFolder } from "./imap-session.ts";
import { MailServerError } from "./mail-connection.ts";
import { readMailFromFolder, buildUnreadMail } from "./read-mailbox-mail.ts";
import { withMailbox } from "./with-mailbox.ts";

const MAX_MAILS_PER_POLL = 25;
/** Of all mails of a poll, which are in memory together. One mail may have as much alone. */
const MAX_BYTES_PER_POLL = MAX_MAIL_BYTES;
const MAX_HEADER_BYTES = 64 * 1024;
/** Numbers that one search covers, of which most may belong to deleted mails. */
const SEARCHED_UIDS = 10_000;
/** Less than a poll may take. */
const POLL_TIMEOUT_MS = 90_000;
const DAY_MS = 86_400_000;

const stateSchema = z.object({
  /** Hash of the account and folder. */
  folder: boundedTextSchema(64),
  uid_validity: z.number(),
  /** Every mail up to this number was read, or was in the folder before the source. */
  last_uid: z.number(),
  /** When all mails had been read: milliseconds since 1970. */
  complete_at: z.number(),
});
type FolderState = z.output<typeof stateSchema>;

export async function pollMailbox(
  context: KindContext<MailboxSettings>,
  kept: Json | undefined,
): Promise<PollOutcome> {
  const { settings, now } = context;
  const folder = await hashFolder(settings);
  const read = stateSchema.safeParse(kept);
  const known = read.success && read.data.folder === folder ? read.data : undefined;
  const polled = await withMailbox(context, POLL_TIMEOUT_MS, async (session, opened) => {
    const start = await findStart(session, opened, known);
    const state = { folder, uid_validity: opened.uidValidity, last_uid: start };
    return await fetchAfter(context, session, {
      opened,
      state: { ...state, complete_at: known?.complete_at ?? now },
    });
  });
  return polled.ok ? { ok: true, ...polled.value } : polled;
}

/** The number up to which mails count as read. */
async function findStart(
  session: ImapSession,
  { uidValidity, uidNext }: OpenedFolder,
  known: FolderState | undefined,
): Promise<number> {
  if (!known) return uidNext - 1;
  if (known.uid_validity === uidValidity) return known.last_uid;
  // All mails have new numbers. Those that are read again here are known by their Message-ID.
  const since = new Date(known.complete_at - DAY_MS);
  const first = Math.max(1, uidNext - SEARCHED_UIDS);
  if (uidNext <= first) return uidNext - 1;
  const recent = await session.search(`UID ${first}:${uidNext - 1} SINCE ${formatDate(since)}`);
  return (recent[0] ?? uidNext) - 1;
}

/** As searches write it: `2-Jan-2026`. */
function formatDate(date: Date): string {
  const [, day, month, year] = date.toUTCString().split(" ");
  return `${Number(day)}-${month}-${year}`;
}

async function fetchAfter(
  context: KindContext<MailboxSettings>,
  session: ImapSession,
  { opened: { uidNext, uidValidity }, state }: { opened: OpenedFolder; state: FolderState },
): Promise<{ messages: ParsedMessage[]; state: Json; more?: true }> {
  const newest = uidNext - 1;
  const start = state.last_uid;
  const end = Math.min(newest, start + SEARCHED_UIDS);
  // A range that begins above the newest mail would find that one.
  const uids = end > start ? await session.search(`UID ${start + 1}:${end}`) : [];
  const fresh = uids.filter((uid) => uid > start && uid <= end).slice(0, MAX_MAILS_PER_POLL + 1);
  const sizes = fresh.length > 0 ? await session.listSizes(fresh) : new Map<number, number>();
  const messages: ParsedMessage[] = [];
  let last = start;
  let bytes = 0;
  for (const uid of fresh) {
    const size = sizes.get(uid) ?? 0;
    const read = Math.min(size, MAX_MAIL_BYTES);
    if (messages.length === MAX_MAILS_PER_POLL || (bytes > 0 && bytes + read > MAX_BYTES_PER_POLL))
      return { messages, state: { ...state, last_uid: last }, more: true };
    try {
      const id = `uid:${state.folder}:${uidValidity}:${uid}`;
      const message = await fetchMail(context, session, { uid, id, size });
      if (message) messages.push(message);
    } catch (error) {
      // Those before it are stored. If the next poll fails as well, it fails with this mail.
      if (error instanceof MailServerError && messages.length > 0)
        return { messages, state: { ...state, last_uid: last }, more: true };
      throw error;
    }
    bytes += read;
    last = uid;
  }
  const isComplete = end === newest;
  return {
    messages,
    state: {
      ...state,
      last_uid: Math.max(start, end),
      complete_at: isComplete ? context.now : state.complete_at,
    },
    ...(isComplete ? {} : { more: true as const }),
  };
}

/** Undefined for a mail that was deleted in the meantime. */
async function fetchMail(
  context: KindContext<MailboxSettings>,
  session: ImapSession,
  { uid, id, size }: { uid: number; id: string; size: number },
): Promise<ParsedMessage | undefined> {
  const place = { id, address: context.settings.address, now: context.now };
  let reason = "it is larger than 25 MB";
  if (size <= MAX_MAIL_BYTES) {
    const raw = await readOrRefused(session.read(uid, "", MAX_MAIL_BYTES + 1));
    if (!raw) return undefined;
    if (raw === "refused") reason = "the server does not hand it out";
    else if (raw.byteLength <= MAX_MAIL_BYTES) return await readMailFromFolder(raw, place);
  }
  const header = await readOrRefused(session.read(uid, "HEADER", MAX_HEADER_BYTES));
  return (
    header && (await buildUnreadMail(header === "refused" ? undefined : header, reason, place))
  );
}

/** Some servers refuse to show a single mail, which must not stop those behind it. */
async function readOrRefused<T>(work: Promise<T>): Promise<T | "refused"> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof MailServerError && error.isRefusal) return "refused";
    throw error;
  }
}
