/**
 * The one way in for what people do in channels: who it was and which thread they mean is asked of the household,
 * their files are stored, and what they said is posted as a message of theirs. A stranger's words go nowhere.
 */
import { householdStub } from "../../stubs.ts";
import { sha256 } from "../../auth/hash.ts";
import type { Principal, Role } from "../../auth/principal.ts";
import { post } from "../../exchange/exchange.ts";
import { keepFile } from "../../exchange/stage-upload.ts";
import { reach, type Stores } from "../../exchange/with-thread.ts";
import { callKey } from "../../exchange/append-message.ts";
import type { HeardAs } from "../../contracts/contacts.ts";
import type { Envelope } from "../../mess/envelope.ts";
import { type MessError, type Outcome, refuse } from "../../mess/errors.ts";
import type { JsonMap } from "../../mess/json.ts";
import { tooLongHint } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { fail, ok } from "../../mess/result.ts";
import type { Receipt } from "../../contracts/thread.ts";
import { askerBlocks } from "../../channels/replies/interpret-requestor-reply.ts";
import type { Heard, Inbound, RemoteFile } from "../../channels/chat-event.ts";
import { refusalWords, TOLD } from "../../channels/replies/reply-texts.ts";
import { shortWordOf } from "../../channels/replies/reply-keywords.ts";
import { blocksOf, type Said, senseOf } from "../../channels/replies/interpret-reply.ts";

/**
 * Takes what somebody did into the thread that they mean, once for each event of the channel. Refused with
 * `unknown_executor` for a stranger, `not_found` where no thread is meant, `empty_message` where nothing was said, and
 * with whatever refuses the message itself; then nothing of it is kept. Throws when a store fails: the channel is to
 * send the event again.
 */
export async function receive(
  env: Stores,
  household: string,
  inbound: Inbound,
): Promise<Outcome<Heard>> {
  const long = checkInboundLengths(inbound);
  if (long) return fail(long);
  const { channel, from, by, ref, handle, exact } = inbound;
  const says = senseOf(inbound);
  const who = await householdStub(env, household).heard({
    channel,
    id: inbound.group ?? inbound.id,
    from,
    ...(ref === undefined ? {} : { ref }),
    ...(handle === undefined ? {} : { handle }),
    ...(exact ? { exact } : {}),
    ...(by === undefined ? {} : { by }),
    ...(says === undefined ? {} : { says }),
  });
  if (!who.ok) return who;
  const found = await speakerIn(env, household, who.value, inbound);
  if (!found.ok) return found;
  const { speaker, envelope, receipt } = found.value;
  const heardOf = ({ executor, ref, intent }: Envelope) => ({
    ref,
    intent,
    ...(executor === speaker.principal.actor ? { holds: true as const } : {}),
    ...(asksIn(found.value) ? { asks: true as const } : {}),
    ...(who.value.guessed ? { guessed: true as const } : {}),
  });
  if (receipt) return ok({ ...heardOf(envelope), status: receipt.status, again: true });
  const files = await storeFiles(env, speaker, inbound.files ?? []);
  if (!files.ok) return files;
  const told = await say(env, found.value, { ...inbound, files: files.value });
  if (!told.ok) return fail(ended(await explained(env, speaker, told.error), envelope));
  const now = await standing(env, speaker);
  const { envelope: after } = now.ok ? now.value : found.value;
  return ok({ ...heardOf(after), status: after.status, again: told.value.again });
}

const MAX_CHARS = {
  text: LIMITS.freeTextChars,
  id: LIMITS.name,
  group: LIMITS.name,
  from: LIMITS.senderChars,
  ref: LIMITS.targetChars,
  handle: LIMITS.handleChars,
} as const;

/** Undefined where every text of the event may be looked at. */
function checkInboundLengths(inbound: Inbound): MessError | undefined {
  for (const [field, maxChars] of Object.entries(MAX_CHARS)) {
    const text = inbound[field as keyof typeof MAX_CHARS];
    if (text !== undefined && text.length > maxChars)
      return refuse(
        field === "text" ? "too_large" : "bad_field",
        `${field} is longer than ${maxChars} characters`,
        tooLongHint(maxChars),
        { path: field },
      ).error;
  }
  return undefined;
}

/** The same where whoever did it may be known by several names: the first that is a member's counts. */
export async function receiveFrom(
  env: Stores,
  household: string,
  names: readonly string[],
  inbound: Omit<Inbound, "from">,
): Promise<Outcome<Heard>> {
  let outcome: Outcome<Heard> = refuse("unknown_executor", "nobody is named", "Name somebody.");
  for (const from of names) {
    outcome = await receive(env, household, { ...inbound, from });
    if (outcome.ok || outcome.error.code !== "unknown_executor") return outcome;
  }
  return outcome;
}

interface Speaker {
  principal: Principal;
  ref: string;
  channel: string;
  /** Makes the event count once. */
  key: string;
}

/**
 * The member as who takes part in the thread; else as an owner, who takes part in none. What only those who asked may do
 * an owner does as one, also where it is a candidate.
 */
async function speakerIn(
  env: Stores,
  household: string,
  { actor, ref, owner }: HeardAs,
  { channel, id, act, text }: Inbound,
): Promise<Outcome<Found>> {
  const speaker = (one: string, role: Role): Speaker => ({
    principal: { household, actor: one, role },
    ref,
    channel,
    key: `${channel}:${id}`,
  });
  const asOwner = owner === undefined ? undefined : speaker(owner, "owner");
  const cancels = act === "cancel" || (act === "say" && shortWordOf(text ?? "") === "cancel");
  if (asOwner && cancels) return await standing(env, asOwner);
  const found = await standing(env, speaker(actor, "executor"));
  return !found.ok && asOwner ? await standing(env, asOwner) : found;
}

interface Found {
  speaker: Speaker;
  envelope: Envelope;
  /** Questions that await those who asked. */
  questions: number;
  /** What an earlier delivery of the event came to. */
  receipt: Receipt | null;
}

/** The thread as it stands, and what an earlier delivery of the event came to. */
const standing = (env: Stores, speaker: Speaker): Promise<Outcome<Found>> => {
  const { principal, ref, key } = speaker;
  return reach(env, principal, ref, undefined, async ({ stub }) => {
    const view = await stub.read(principal, Number.MAX_SAFE_INTEGER);
    if (!view.ok) return view;
    const receipt = await stub.receipt(principal, callKey(principal, 0, key));
    if (!receipt.ok) return receipt;
    const { envelope, open } = view.value;
    const questions = open.questions.length;
    return ok({ speaker, envelope, questions, receipt: receipt.value });
  });
};

/** An owner who is refused learns what is open to it instead. */
async function explained(
  env: Stores,
  { principal, ref }: Speaker,
  error: MessError,
): Promise<MessError> {
  if (principal.role !== "owner" || error.code !== "wrong_role") return error;
  const sight = await reach(env, principal, ref, undefined, ({ stub }) => stub.sight(principal));
  if (!sight.ok) return error;
  const open = sight.value.may.filter(({ action, allowed }) => allowed && TOLD.includes(action));
  return { ...error, valid: open.map(({ action }) => action) };
}

/** One after the other, since each is held in memory. Any that cannot be had refuses the whole: nothing is half said. */
async function storeFiles(
  env: Stores,
  { principal, ref, key }: Speaker,
  files: readonly RemoteFile[],
): Promise<Outcome<Said["files"]>> {
  if (files.length > LIMITS.attachmentsPerMessage)
    return refuse(
      "too_many",
      `more than ${LIMITS.attachmentsPerMessage} files`,
      "Send them in several messages.",
    );
  return await reach<Said["files"]>(env, principal, ref, undefined, async ({ stub }) => {
    const stored: Said["files"][number][] = [];
    for (const [index, { name, mime, fetch }] of files.entries()) {
      const bytes = await fetch();
      if (!bytes.ok) return bytes;
      const kept = await keepFile(env, principal, stub, {
        ...(bytes.value instanceof Uint8Array ? { body: bytes.value } : bytes.value),
        mime,
        original: name,
        hidePlace: true,
        id: (await sha256([principal.household, ref, key, index].join(" "))).slice(0, 32),
      });
      if (!kept.ok) return kept.error.code === "bad_attachment" ? brokenOff() : kept;
      stored.push({ kind: kept.value.kind, token: kept.value.token });
    }
    return ok(stored);
  });
}

/** What broke off on its way may come whole when the event comes again. */
const brokenOff = (): Outcome<never> =>
  refuse("internal", "a file broke off on its way", "Send it again.");

/** Whoever speaks does so as who asked, or in their place; with what they hold, as its holder. */
const asksIn = ({ speaker: { principal }, envelope: { requestor, executor } }: Found): boolean =>
  (principal.role === "owner" || principal.actor === requestor) && principal.actor !== executor;

/** Posts the words; an answer that has to be confirmed first is put as the question for that. */
async function say(env: Stores, found: Found, said: Said): Promise<Outcome<{ again: boolean }>> {
  const { speaker, envelope, questions } = found;
  const { principal, ref, channel, key } = speaker;
  const { status, executor, intent } = envelope;
  const owner = principal.role === "owner";
  const where = { actor: principal.actor, status, executor, intent };
  const attempt = async (blocks: JsonMap[]): Promise<Outcome<{ again: boolean }>> => {
    if (blocks.length === 0)
      return refuse("empty_message", "nothing was said", "Send words, a photo or a place.");
    const text = JSON.stringify({ MESS: blocks });
    const posted = await post(env, principal, { text, channel, target: ref, key });
    if (posted.ok) return ok({ again: false });
    // Another delivery of the event was faster, and found the thread in another state.
    return posted.error.code === "idempotency_conflict" ? ok({ again: true }) : posted;
  };
  if (asksIn(found)) return await attempt(askerBlocks(said, { ...where, owner, questions }));
  const first = await attempt(blocksOf(said, where));
  if (first.ok || first.error.code !== "confirmation_required" || said.act !== "say") return first;
  const second = await attempt(blocksOf(said, { ...where, unconfirmed: true }));
  return second.ok ? second : first;
}

/** Says in which status the thread ended, which the words for people tell apart. */
const ended = (error: MessError, { status }: Envelope): MessError =>
  error.code === "thread_finished" ? { ...error, status } : error;

/** The refusal for the person who was refused; names the holder as people call them. */
export async function wordsOfRefusal(
  env: Pick<Stores, "HOUSEHOLDS">,
  household: string,
  error: MessError,
): Promise<string> {
  const taken = error.code === "already_claimed" || error.code === "not_holder";
  const [holder] = taken ? (error.valid ?? []) : [];
  if (holder === undefined) return refusalWords(error, undefined);
  const executors = await householdStub(env, household).executors();
  return refusalWords(error, executors.find(({ id }) => id === holder)?.name ?? holder);
}
