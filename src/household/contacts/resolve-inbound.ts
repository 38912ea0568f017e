/**
 * Who says something in a channel, and about which thread. An address speaks for its member. In a room that several
 * share it speaks for whoever is known there by an address of their own and takes part in the thread, else for the
 * member that the room is; as an owner nobody is heard there who is not known so.
 */
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { ThreadCatalog } from "../threads/thread-catalog.ts";
import type { ResolvedInbound, InboundQuery } from "../../contracts/contacts.ts";
import {
  normalizeIdentity,
  type InboundAddress,
  listInboundAddresses,
} from "./inbound-addresses.ts";
import type { MessageTarget } from "./sent-messages.ts";
import { getEffectiveRole } from "../identity/effective-role.ts";
import type { Stores } from "../stores.ts";
import type { SecretVault } from "../secrets/secret-vault.ts";

/** Who holds the thread, as it knows itself: what it told of itself may be a moment old. Undefined where there is none. */
type GetCurrentHolder = (ref: string) => Promise<string | null | undefined>;

interface InboundSource {
  /** The address, in one spelling. */
  identity: string;
  addresses: InboundAddress[];
  /** Whose it is: several may share it. */
  members: string[];
  /** Who is known to have spoken in a room that is shared; undefined where the address is one person's. */
  identifiedMembers: string[] | undefined;
}

/**
 * Refused with `unknown_executor` for a stranger, with `not_found` where no thread is meant, and with `wrong_role`
 * where it is a room in which nobody knows that it is an owner. An event that comes again gets the same answer; a
 * thread that has ended is still found by ref and by handle.
 */
export async function resolveInbound(
  stores: Stores,
  vault: SecretVault,
  query: InboundQuery,
  getHolder: GetCurrentHolder,
): Promise<Outcome<ResolvedInbound>> {
  const { channel, id } = query;
  const { sentMessages } = stores;
  const source = await findSource(stores, vault, query);
  if (!source)
    return refuse("unknown_executor", "nobody of this household", "Ask an owner to add you.");
  const { members, identifiedMembers: identified = [] } = source;
  const resolved = await resolveThread(stores, query, source, getHolder);
  // From here on nothing is waited for, so that copies of an event that come together mean the same.
  const found = sentMessages.findResolved(channel, id);
  const before = found && [...members, ...identified].includes(found.actor) ? found : undefined;
  const target: TargetThread | undefined = before ?? resolved;
  if (!target)
    return refuse("not_found", "no such thread", "Answer the message that you were sent.");
  const { ref, isGuessed } = target;
  const owner = resolveOwner(stores, query, source, ref);
  const actor = before?.actor ?? resolveSpeaker(stores, source, target) ?? owner;
  if (actor === undefined)
    return refuse("wrong_role", "not known to be an owner", "Open the link, and sign in.");
  if (!before) sentMessages.recordResolved(channel, id, { actor, ref }, Date.now());
  return ok({
    actor,
    ref,
    ...(owner === undefined ? {} : { alertedOwner: owner }),
    ...(isGuessed ? { isGuessed } : {}),
  });
}

async function findSource(
  stores: Stores,
  vault: SecretVault,
  { channel, from, personIdentities }: InboundQuery,
): Promise<InboundSource | undefined> {
  const identity = normalizeIdentity(channel, from);
  const inbound = await listInboundAddresses(stores, vault, channel);
  const addresses = inbound.filter((address) => address.identity === identity);
  if (identity === undefined || addresses.length === 0) return undefined;
  const names = personIdentities?.map((name) => normalizeIdentity(channel, name));
  const known = inbound.filter(
    (address) => !address.isAlertAddress && names?.includes(address.identity),
  );
  return {
    identity,
    addresses,
    members: listActors(addresses),
    identifiedMembers: personIdentities === undefined ? undefined : listActors(known),
  };
}

const listActors = (inbound: readonly InboundAddress[]): string[] => [
  ...new Set(inbound.map(({ actor }) => actor)),
];

/** A thread, to whom its message went, and whether another could have been meant. */
type TargetThread = MessageTarget & { isGuessed?: true };

async function resolveThread(
  stores: Stores,
  query: InboundQuery,
  { identity, members }: InboundSource,
  getHolder: GetCurrentHolder,
): Promise<TargetThread | undefined> {
  const { sentMessages, threadCatalog } = stores;
  const { channel, ref, handle, isOwnMessage } = query;
  const sent =
    ref !== undefined
      ? sentMessages.findLast(channel, identity, ref)
      : handle === undefined
        ? undefined
        : sentMessages.findByHandle(channel, identity, handle);
  const thread = ref === undefined ? undefined : threadCatalog.get(ref);
  const named = sent ?? (thread && { actor: members[0]!, ref: thread.ref });
  if (named) return named;
  if (ref || isOwnMessage) return undefined;
  return await resolveLatest(stores, query, { identity, members }, getHolder);
}

/**
 * The last one that was sent there; but an answer that does not fit it is for the one thread that they hold. `done`
 * ends nothing that they do not hold, and an answer is not for what another has taken.
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
  const cataloguedHolder = threadCatalog.get(last.ref)?.executor ?? null;
  const [onlyHeld, ...others] = fitsMeaning(cataloguedHolder)
    ? []
    : threadCatalog.findHeld(members);
  let other = others.length === 0 ? onlyHeld : undefined;
  if (other) {
    // They may have taken it a moment ago, of which only the thread knows.
    const holder = await getHolder(last.ref);
    if (holder !== undefined && fitsMeaning(holder)) other = undefined;
  }
  const target = other ?? last;
  const isGuessed =
    other !== undefined || sentMessages.hasOtherThreads(channel, identity, target.ref);
  return isGuessed ? { ...target, isGuessed } : target;
}

/** An answer may come before the word that the offer was sent: then it can only be for the one that is open to them. */
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
 * Who speaks: of those who share the address the first who takes part in the thread, else the first. What a room has
 * taken is everybody's there to go on with.
 */
function resolveSpeaker(
  { threadCatalog }: Stores,
  { addresses, members, identifiedMembers: identified }: InboundSource,
  { actor, ref }: MessageTarget,
): string | undefined {
  const thread = threadCatalog.get(ref);
  const participants = JSON.parse(thread?.participants ?? "[]") as string[];
  const takesPart = (one: string): boolean => participants.includes(one);
  const roomMembers =
    identified && listActors(addresses.filter(({ isAlertAddress: alerts }) => !alerts));
  const own = roomMembers ?? members;
  if (roomMembers && thread?.executor && roomMembers.includes(thread.executor))
    return thread.executor;
  // An alert to an owner may have been the last word to an address that is a candidate's too.
  const known = own.includes(actor) ? [actor, ...own] : own;
  return identified?.find(takesPart) ?? known.find(takesPart) ?? known[0];
}

/** The owner who was alerted about the thread at this address, and is who speaks there. */
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
