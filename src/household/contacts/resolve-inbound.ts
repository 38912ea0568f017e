/**
 * Who says something in a channel, and about which thread. An address speaks for its member. In a room that several
 * share it speaks for whoever is known there by an address of their own and takes part in the thread, else for the
 * member that the room is; as an owner nobody is heard there who is not known so.
 */
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { Catalogue } from "../threads/thread-catalog.ts";
import type { HeardAs, HeardQuery } from "../../contracts/contacts.ts";
import { identityIn, type Place, placesIn } from "./inbound-addresses.ts";
import type { Meant } from "./sent-messages.ts";
import { standingOf } from "../identity/effective-role.ts";
import type { Stores } from "../stores.ts";
import type { Vault } from "../secrets/secret-vault.ts";

/** Who holds the thread, as it knows itself: what it told of itself may be a moment old. Undefined where there is none. */
type HolderNow = (ref: string) => Promise<string | null | undefined>;

interface Scene {
  /** The address, in one spelling. */
  identity: string;
  here: Place[];
  /** Whose it is: several may share it. */
  members: string[];
  /** Who is known to have spoken in a room that is shared; undefined where the address is one person's. */
  persons: string[] | undefined;
}

/**
 * Refused with `unknown_executor` for a stranger, with `not_found` where no thread is meant, and with `wrong_role`
 * where it is a room in which nobody knows that it is an owner. An event that comes again gets the same answer; a
 * thread that has ended is still found by ref and by handle.
 */
export async function hear(
  stores: Stores,
  vault: Vault,
  query: HeardQuery,
  holderNow: HolderNow,
): Promise<Outcome<HeardAs>> {
  const { channel, id } = query;
  const { sendings } = stores;
  const scene = await sceneOf(stores, vault, query);
  if (!scene)
    return refuse("unknown_executor", "nobody of this household", "Ask an owner to add you.");
  const { members, persons = [] } = scene;
  const meaningNow = await meaning(stores, query, scene, holderNow);
  // From here on nothing is waited for, so that copies of an event that come together mean the same.
  const found = sendings.understood(channel, id);
  const before = found && [...members, ...persons].includes(found.actor) ? found : undefined;
  const meant: Meaning | undefined = before ?? meaningNow;
  if (!meant)
    return refuse("not_found", "no such thread", "Answer the message that you were sent.");
  const { ref, guessed } = meant;
  const owner = ownerIn(stores, query, scene, ref);
  const actor = before?.actor ?? speakerIn(stores, scene, meant) ?? owner;
  if (actor === undefined)
    return refuse("wrong_role", "not known to be an owner", "Open the link, and sign in.");
  if (!before) sendings.understand(channel, id, { actor, ref }, Date.now());
  return ok({
    actor,
    ref,
    ...(owner === undefined ? {} : { owner }),
    ...(guessed ? { guessed } : {}),
  });
}

async function sceneOf(
  stores: Stores,
  vault: Vault,
  { channel, from, by }: HeardQuery,
): Promise<Scene | undefined> {
  const identity = identityIn(channel, from);
  const places = await placesIn(stores, vault, channel);
  const here = places.filter((place) => place.identity === identity);
  if (identity === undefined || here.length === 0) return undefined;
  const names = by?.map((name) => identityIn(channel, name));
  const known = places.filter((place) => !place.alerts && names?.includes(place.identity));
  return {
    identity,
    here,
    members: actorsOf(here),
    persons: by === undefined ? undefined : actorsOf(known),
  };
}

const actorsOf = (places: readonly Place[]): string[] => [
  ...new Set(places.map(({ actor }) => actor)),
];

/** A thread, to whom its message went, and whether another could have been meant. */
type Meaning = Meant & { guessed?: true };

async function meaning(
  stores: Stores,
  query: HeardQuery,
  { identity, members }: Scene,
  holderNow: HolderNow,
): Promise<Meaning | undefined> {
  const { sendings, catalogue } = stores;
  const { channel, ref, handle, exact } = query;
  const sent =
    ref !== undefined
      ? sendings.last(channel, identity, ref)
      : handle === undefined
        ? undefined
        : sendings.byHandle(channel, identity, handle);
  const thread = ref === undefined ? undefined : catalogue.get(ref);
  const named = sent ?? (thread && { actor: members[0]!, ref: thread.ref });
  if (named) return named;
  if (ref || exact) return undefined;
  return await latest(stores, query, { identity, members }, holderNow);
}

/**
 * The last one that was sent there; but an answer that does not fit it is for the one thread that they hold. `done`
 * ends nothing that they do not hold, and an answer is not for what another has taken.
 */
async function latest(
  { sendings, catalogue }: Stores,
  { channel, says }: HeardQuery,
  { identity, members }: Pick<Scene, "identity" | "members">,
  holderNow: HolderNow,
): Promise<Meaning | undefined> {
  const last = sendings.last(channel, identity) ?? onlyOffer(catalogue, members);
  if (!last) return undefined;
  const fits = (holder: string | null): boolean =>
    says === undefined || (holder === null ? says === "answer" : members.includes(holder));
  const told = catalogue.get(last.ref)?.executor ?? null;
  const [held, ...others] = fits(told) ? [] : catalogue.heldBy(members);
  let other = others.length === 0 ? held : undefined;
  if (other) {
    // They may have taken it a moment ago, of which only the thread knows.
    const holder = await holderNow(last.ref);
    if (holder !== undefined && fits(holder)) other = undefined;
  }
  const meant = other ?? last;
  const guessed = other !== undefined || sendings.hasOthers(channel, identity, meant.ref);
  return guessed ? { ...meant, guessed } : meant;
}

/** An answer may come before the word that the offer was sent: then it can only be for the one that is open to them. */
function onlyOffer(catalogue: Catalogue, members: readonly string[]): Meant | undefined {
  const open = members.flatMap((actor) =>
    catalogue.tasks(actor, undefined, 2).refs.map((ref) => ({ actor, ref })),
  );
  return open.length === 1 ? open[0] : undefined;
}

/**
 * Who speaks: of those who share the address the first who takes part in the thread, else the first. What a room has
 * taken is everybody's there to go on with.
 */
function speakerIn(
  { catalogue }: Stores,
  { here, members, persons }: Scene,
  { actor, ref }: Meant,
): string | undefined {
  const thread = catalogue.get(ref);
  const participants = JSON.parse(thread?.participants ?? "[]") as string[];
  const takesPart = (one: string): boolean => participants.includes(one);
  const rooms = persons && actorsOf(here.filter(({ alerts }) => !alerts));
  const own = rooms ?? members;
  if (rooms && thread?.executor && rooms.includes(thread.executor)) return thread.executor;
  // An alert to an owner may have been the last word to an address that is a candidate's too.
  const known = own.includes(actor) ? [actor, ...own] : own;
  return persons?.find(takesPart) ?? known.find(takesPart) ?? known[0];
}

/** The owner who was alerted about the thread at this address, and is who speaks there. */
function ownerIn(
  stores: Stores,
  { channel }: HeardQuery,
  { identity, members, persons }: Scene,
  ref: string,
): string | undefined {
  const told = stores.sendings.alerted(channel, identity, ref);
  if (told === undefined) return undefined;
  const speakers = persons ?? members.filter((one) => one === told);
  return speakers.find((one) => standingOf(stores, one) === "owner");
}
