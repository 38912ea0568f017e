/**
 * The owner who decided the request of a message source as a person. Its completion may send a message in the owner's
 * name, so keys, grants, links, machines and the exchange never count, and neither does an answer in free text.
 */
import { isVerifiedOwner, type Principal } from "../auth/principal.ts";
import type { Message } from "../mess/wire/schema.ts";
import { isFinal } from "../mess/status.ts";
import { getSourceOrigin, type ThreadState } from "../mess/thread/state.ts";

/** Anybody can send a text message or mail in the name of another number or address. */
const UNVERIFIED_CHANNELS: readonly string[] = ["sms", "email"];

/** The owner in a verified browser session that sends this message; undefined for every other caller. */
export const getSessionOwner = (caller: Principal): string | undefined =>
  isVerifiedOwner(caller) ? caller.actor : undefined;

const completesSourceRequest = (before: ThreadState, after: ThreadState): boolean =>
  getSourceOrigin(after) !== undefined && !isFinal(before.status) && after.status === "completed";

/**
 * Whether the change ends a request to approve a draft although no person is known to have sent it. It is refused: the
 * sender would believe that the draft is sent, and the owner would not be asked any longer.
 */
export const endsApprovalWithoutPerson = (
  before: ThreadState,
  after: ThreadState,
  channel: string,
  person: string | undefined,
): boolean =>
  completesSourceRequest(before, after) &&
  getSourceOrigin(after)?.digest !== undefined &&
  (person === undefined || UNVERIFIED_CHANNELS.includes(channel));

/**
 * @param person the identified owner who sent the message
 * @returns the owner, where this message alone, without any text, completed the request
 */
export function findDecidingPerson(
  before: ThreadState,
  after: ThreadState,
  { blocks }: Message,
  channel: string,
  person: string | undefined,
): string | undefined {
  if (!completesSourceRequest(before, after) || UNVERIFIED_CHANNELS.includes(channel))
    return undefined;
  const [block] = blocks;
  const isBare =
    blocks.length === 1 &&
    block?.type === "status" &&
    block.body.code === "completed" &&
    block.body.message === undefined;
  return isBare ? person : undefined;
}
