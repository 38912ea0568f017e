/** Searches the messages of the sources that the caller may read. */
import type { Principal } from "../../auth/principal.ts";
import type { SourceMessageSummary } from "../../contracts/sources.ts";
import { defined } from "../../mess/defined.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { writeTime } from "../../mess/times.ts";
import { searchSourceRows, type SourceMessageFilter } from "../../partitions/source-messages.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { callSources } from "./with-source.ts";

/** Conditions of a search; a message must meet all that are given. */
export interface SourceMessageSearch extends Omit<SourceMessageFilter, "sources"> {
  source?: string;
}

type ShownFields =
  | "id"
  | "source"
  | "kind"
  | "sender"
  | "sender_name"
  | "subject"
  | "excerpt"
  | "received"
  | "status"
  | "tier";
/** Written by strangers: untrusted. */
export type FoundSourceMessage = Pick<SourceMessageSummary, ShownFields>;

/** The newest arrival first. The index may be a moment behind. */
export const searchSourceMessages = (
  env: ExchangeBindings,
  principal: Principal,
  { source, ...filter }: SourceMessageSearch,
): Promise<Outcome<{ messages: FoundSourceMessage[]; next_cursor?: string }>> =>
  callSources(env, principal, async (household) => {
    const listed =
      source === undefined
        ? await household.list(principal)
        : await household.authorize(principal, source, "read");
    if (!listed.ok) return listed;
    const readable = Array.isArray(listed.value) ? listed.value : [listed.value];
    const kinds = new Map(readable.map(({ name, kind }) => [name, kind]));
    const found = await searchSourceRows(env.INDEX, principal.household, {
      ...filter,
      sources: [...kinds.keys()],
    });
    if (!found.ok) return found;
    const { rows, ...rest } = found.value;
    return ok({
      messages: rows.map(({ message, at, sender_name, subject, tier, ...row }) => ({
        id: message,
        source: row.source,
        kind: kinds.get(row.source)!,
        sender: row.sender,
        excerpt: row.excerpt,
        received: writeTime(at, "UTC"),
        status: row.status,
        ...defined({
          sender_name: sender_name ?? undefined,
          subject: subject ?? undefined,
          tier: tier ?? undefined,
        }),
      })),
      ...rest,
    });
  });
