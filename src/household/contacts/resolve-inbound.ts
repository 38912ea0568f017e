/**
 * Resolves the member that sent an inbound message, and its thread. A private address stands for its member. At an
 * address that several people share, the speaker is the member identified by a private address who takes part in the
 * thread, else the member that the shared address is configured for. Only an identified owner acts as an owner there.
 */
import { defined } from "../../mess/defined.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { ThreadCatalog } from "../threads/thread-catalog.ts";
import type { ResolvedInbound, InboundQuery } from "../../contracts/contacts.ts";
import {
  normalizeIdentity,
  type InboundAddress,
  listInboundAddresses,
} from "./inbound-addresses.ts";
import type { ChannelKind } from "../../channels/channel.ts";
import { listNames } from "./contacts.ts";
import { findCertainTarget } from "./resolve-certain.ts";
import { type MessageTarget, NO_THREAD } from "./sent-messages.ts";
import { getEffectiveRole } from "../identity/effective-role.ts";
import type { Stores } from "../stores.ts";
import type { SecretVault } from "../secrets/secret-vault.ts";

/** Reads the current holder from the thread, since the catalog may lag; undefined if the thread does not exist. */
type GetCurrentHolder = (ref: string) => Promise<string | null | undefined>;

interface InboundSource {
  /** The address, normalized. */
  identity: string;
  addresses: InboundAddress[];
  /** The members with this address; several may share it. */
  members: string[];
  /** The identified members that may have sent the message, at a shared address; undefined at a private address. */
  identifiedMembers: string[] | undefined;
  /** The private addresses by which the sender is identified. */
  senderAddresses: InboundAddress[];
}

/**
 * Resolves an inbound message. Refused with `unknown_executor` for an unknown sender, `not_found` if no thread matches,
 * and `wrong_role` if an owner is required but not identified at a shared address. A repeated event gets the same
 * result; a thread that has ended is still found by ref and by handle.
 * @param hasSource no thread is guessed, because messages that answer no request go to a message source
 */
export async function resolveInbound(
  stores: Stores,
  vault: SecretVault,
  query: InboundQuery,
  getHolder: GetCurrentHolder,
  { hasSource }: { hasSource: boolean } = { hasSource: false },
): Promise<Outcome<ResolvedInbound>> {
  const { channel, id } = query;
  const { sentMessages } = stores;
  const source = await findSource(stores, vault, query);
  if (!source)
    return refuse("unknown_executor", "unknown sender", "Ask an owner to add your address.");
  const { members, identifiedMembers: identified = [] } = source;
  const resolved: TargetThread | undefined =
    findNamedThread(stores, query, source) ??
    (hasSource
      ? findCertainTarget(stores, query, toAddressee(source), Date.now())
      : await guessThread(stores, query, source, getHolder));
  // No await from here on, so that copies of one event that arrive at the same time get the same result.
  const found = sentMessages.findResolved(channel, id);
  const before = found && [...members, ...identified].includes(found.actor) ? found : undefined;
  const target: TargetThread | undefined = before ?? resolved;
  if (!target && hasSource)
    sentMessages.recordResolved(channel, id, { actor: members[0]!, ref: NO_THREAD }, Date.now());
  if (!target || target.ref === NO_THREAD)
    return refuse("not_found", "thread not found", "Reply to the message about the thread.");
  const { ref, isGuessed } = target;
  // A message that names no thread may mean another one, and must decide none.
  const decider = findNamedThread(stores, query, source)
    ? identifyOwner(stores, channel, source)
    : undefined;
  const decides = decider?.isConfirmed && isAboutSentMessage(stores, query, source, ref);
  const owner = resolveOwner(stores, query, source, ref);
  const actor = before?.actor ?? resolveSpeaker(stores, source, target) ?? owner;
  if (actor === undefined)
    return refuse(
      "wrong_role",
      "the sender is not known to be an owner",
      "Open the link and sign in.",
    );
  if (!before) sentMessages.recordResolved(channel, id, { actor, ref }, Date.now());
  return ok({
    actor,
    ref,
    ...defined({ alertedOwner: owner }),
    ...(decides ? { identifiedOwner: decider.actor } : {}),
    ...(decider?.isConfirmed === false ? { isUnconfirmed: true as const } : {}),
    ...(isGuessed ? { isGuessed } : {}),
    names: listNames(stores),
  });
}

async function findSource(
  stores: Stores,
  vault: SecretVault,
  { channel, identities, personIdentities }: InboundQuery,
): Promise<InboundSource | undefined> {
  const inbound = await listInboundAddresses(stores, vault, channel);
  const identity = identities
    .map((from) => normalizeIdentity(channel, from))
    .find((one) => inbound.some((address) => address.identity === one));
  if (identity === undefined) return undefined;
  const addresses = inbound.filter((address) => address.identity === identity);
  const names = personIdentities?.map((name) => normalizeIdentity(channel, name));
  const known = inbound.filter(
    (address) => !address.isAlertAddress && names?.includes(address.identity),
  );
  return {
    identity,
    addresses,
    members: listActors(addresses),
    identifiedMembers: personIdentities === undefined ? undefined : listActors(known),
    senderAddresses: personIdentities === undefined ? addresses : known,
  };
}

const listActors = (inbound: readonly InboundAddress[]): string[] => [
  ...new Set(inbound.map(({ actor }) => actor)),
];

/** A thread, the member that its message was sent to, and whether another thread was possible too. */
type TargetThread = MessageTarget & { isGuessed?: true };

/** The thread that a button, an address or a reply to one of its messages names. */
function findNamedThread(
  { sentMessages, threadCatalog }: Stores,
  { channel, ref, handle }: InboundQuery,
  { identity, members }: InboundSource,
): MessageTarget | undefined {
  const sent =
    ref !== undefined
      ? sentMessages.findLast(channel, identity, ref)
      : handle === undefined
        ? undefined
        : sentMessages.findByHandle(channel, identity, handle);
  const thread = ref === undefined ? undefined : threadCatalog.get(ref);
  return sent ?? (thread && { actor: members[0]!, ref: thread.ref });
}

/**
 * True for a tap on, or a reply to, a message about the thread that was sent to this address. A button on any other
 * message of the bot can name the thread, too.
 */
const isAboutSentMessage = (
  { sentMessages }: Stores,
  { channel, handle }: InboundQuery,
  { identity }: InboundSource,
  ref: string,
): boolean =>
  handle !== undefined && sentMessages.findByHandle(channel, identity, handle)?.ref === ref;

const guessThread = async (
  stores: Stores,
  query: InboundQuery,
  source: InboundSource,
  getHolder: GetCurrentHolder,
): Promise<TargetThread | undefined> =>
  query.ref || query.isOwnMessage
    ? undefined
    : await resolveLatest(stores, query, source, getHolder);

const toAddressee = ({ identity, members, identifiedMembers }: InboundSource) => ({
  identity,
  sender: identifiedMembers === undefined && members.length === 1 ? members[0] : undefined,
});

/**
 * The thread of the last message sent to the address. If the answer does not fit it, but the members hold exactly one
 * other thread, that one: `done` needs a thread that they hold, and an answer one that no other member holds.
 */
async function resolveLatest(
  { sentMessages, threadCatalog }: Stores,
  { channel, meaning }: InboundQuery,
  { identity, members }: Pick<InboundSource, "identity" | "members">,
  getHolder: GetCurrentHolder,
): Promise<TargetThread | undefined> {
  const last = sentMessages.findLast(channel, identity) ?? findOnlyOffer(threadCatalog, members);
  if (!last) return undefined;
  const fitsMeaning = (holder: string | null): boolean =>
    meaning === undefined || (holder === null ? meaning === "answer" : members.includes(holder));
  const catalogHolder = threadCatalog.get(last.ref)?.executor ?? null;
  const [onlyHeld, ...others] = fitsMeaning(catalogHolder)
    ? []
    : threadCatalog.findHeldThreads(members);
  let other = others.length === 0 ? onlyHeld : undefined;
  if (other) {
    // They may have claimed it a moment ago, which the catalog does not show yet.
    const holder = await getHolder(last.ref);
    if (holder !== undefined && fitsMeaning(holder)) other = undefined;
  }
  const target = other ?? last;
  const isGuessed =
    other !== undefined || sentMessages.hasOtherThreads(channel, identity, target.ref);
  return isGuessed ? { ...target, isGuessed } : target;
}

/** An answer may arrive before the report that the offer was sent. Then only a single open offer is unambiguous. */
function findOnlyOffer(
  threadCatalog: ThreadCatalog,
  members: readonly string[],
): MessageTarget | undefined {
  const offers = members.flatMap((actor) =>
    threadCatalog.findTasks(actor, undefined, 2).refs.map((ref) => ({ actor, ref })),
  );
  return offers.length === 1 ? offers[0] : undefined;
}

/**
 * The speaker: the first of the members at the address who takes part in the thread, else the first member. A thread
 * held by a member of a shared address may be continued by all people there.
 */
function resolveSpeaker(
  { threadCatalog }: Stores,
  { addresses, members, identifiedMembers: identified }: InboundSource,
  { actor, ref }: MessageTarget,
): string | undefined {
  const thread = threadCatalog.get(ref);
  const participants = JSON.parse(thread?.participants ?? "[]") as string[];
  const isParticipant = (one: string): boolean => participants.includes(one);
  const roomMembers =
    identified && listActors(addresses.filter(({ isAlertAddress: alerts }) => !alerts));
  const own = roomMembers ?? members;
  if (roomMembers && thread?.executor && roomMembers.includes(thread.executor))
    return thread.executor;
  // The last message may have been an owner alert to an address that also belongs to a candidate.
  const known = own.includes(actor) ? [actor, ...own] : own;
  return identified?.find(isParticipant) ?? known.find(isParticipant) ?? known[0];
}

/**
 * The owner who sent the message, and whether they have confirmed that their taps in this chat decide. Undefined where
 * several members have the address, so that nobody knows which of them it was.
 */
function identifyOwner(
  stores: Stores,
  channel: ChannelKind,
  { senderAddresses }: InboundSource,
): { actor: string; isConfirmed: boolean } | undefined {
  const [actor, ...others] = listActors(senderAddresses);
  if (actor === undefined || others.length > 0) return undefined;
  if (getEffectiveRole(stores, actor) !== "owner") return undefined;
  const isConfirmed = senderAddresses.some(({ identity }) =>
    stores.approvalChats.isConfirmed({ channel, identity, actor }),
  );
  return { actor, isConfirmed };
}

/** The owner that was alerted about the thread at this address, if the speaker is that owner. */
function resolveOwner(
  stores: Stores,
  { channel }: InboundQuery,
  { identity, members, identifiedMembers: identified }: InboundSource,
  ref: string,
): string | undefined {
  const alerted = stores.sentMessages.findAlertedOwner(channel, identity, ref);
  if (alerted === undefined) return undefined;
  const speakers = identified ?? members.filter((one) => one === alerted);
  return speakers.find((one) => getEffectiveRole(stores, one) === "owner");
}
