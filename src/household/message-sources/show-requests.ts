/** Shows requests that reach a person as messages of the source of the kind `mess`, so that one inbox has them all. */
import type { IncomingSourceMessage } from "../../contracts/sources.ts";
import type { ThreadSummary } from "../../contracts/thread.ts";
import { isSourceRequestor } from "../../mess/sources/request-origin.ts";
import type { Urgency } from "../../mess/sources/vocabulary.ts";
import { isFinal } from "../../mess/status.ts";
import { listNames } from "../contacts/contacts.ts";
import type { Stores } from "../stores.ts";

/** Owners get what nobody was offered. */
function reachesPerson(
  { members, people }: Stores,
  requestor: string,
  participants: readonly string[],
): boolean {
  const offered = participants.filter((one) => one !== requestor);
  const isPerson = (id: string): boolean => {
    const executor = members.findExecutor(id);
    return executor ? executor.kind !== "machine" : people.find(id) !== undefined;
  };
  return offered.length === 0 || offered.some(isPerson);
}

/**
 * Adds the job that shows the request, when it reaches a person first. Without such a source this writes nothing. What a
 * source asks its owner is not shown: the question about a message would become a message.
 * @param before participants as the household knew them
 */
export function showRequest(
  stores: Stores,
  summary: ThreadSummary,
  before: { participants: string; isNew: boolean },
  now: number,
): void {
  const { ref, requestor, participants, status } = summary;
  if (!before.isNew && before.participants === JSON.stringify(participants.toSorted())) return;
  const source = stores.messageSources.findConnected("mess");
  if (source === undefined || isSourceRequestor(requestor) || isFinal(status)) return;
  const known = JSON.parse(before.participants) as string[];
  const isKnown = !before.isNew && reachesPerson(stores, requestor, known);
  if (isKnown || !reachesPerson(stores, requestor, participants)) return;
  stores.jobs.add("showRequest", `show ${ref}`, { ref, source }, now);
}

const URGENCIES: Readonly<Record<string, Urgency>> = { urgent: 3, elevated: 2, background: 1 };

/** The request as a message; the source stores it once for each ref. */
export function toRequestMessage(stores: Stores, summary: ThreadSummary): IncomingSourceMessage {
  const { ref, requestor, intent, text, priority, created, household } = summary;
  const name = listNames(stores)[requestor];
  const context = text.startsWith(intent) ? text.slice(intent.length).trim() : text;
  return {
    external_id: ref,
    sender: requestor,
    ...(name === undefined ? {} : { sender_name: name }),
    recipient: household,
    subject: intent,
    body: context === "" ? intent : context,
    timestamp: created,
    headers: [
      ["Ref", ref],
      ["Priority", priority],
    ],
    channel: ref,
    urgency: URGENCIES[priority] ?? 2,
    attachments: [],
  };
}
