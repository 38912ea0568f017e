/** Searches the messages of AI groups that the caller may read. */
import type { Principal } from "../../auth/principal.ts";
import type { GroupMessage } from "../../contracts/groups.ts";
import { defined } from "../../mess/defined.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { type GroupMessageFilter, searchGroupRows } from "../../partitions/group-messages.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { callGroups } from "./group-memberships.ts";

/** Conditions of a search; a message must meet all that are given. */
export type GroupSearch = Omit<GroupMessageFilter, "visibleTo">;

type ShownFields = "id" | "seq" | "from" | "from_name" | "to" | "type" | "at";

export interface FoundGroupMessage extends Pick<GroupMessage, ShownFields> {
  group_id: string;
  /** The first characters of the content. */
  excerpt: string;
}

export interface FoundGroupMessages {
  messages: FoundGroupMessage[];
  next_cursor?: string;
}

/** Owners search all channels; other members those of their own memberships, newest message first. */
export const searchGroupMessages = (
  env: ExchangeBindings,
  principal: Principal,
  search: GroupSearch,
): Promise<Outcome<FoundGroupMessages>> =>
  callGroups(env, principal, async (groups) => {
    const known = await groups.listSearchKeys(principal, defined({ member: search.member }));
    if (!known.ok) return known;
    const { visible, member } = known.value;
    const found = await searchGroupRows(env.INDEX, principal.household, {
      ...search,
      ...defined({ member, visibleTo: visible }),
    });
    if (!found.ok) return found;
    const { rows, ...rest } = found.value;
    return ok({
      messages: rows.map(({ message, sender, sender_name, receiver, at, ...row }) => ({
        group_id: row.group_id,
        id: message,
        seq: row.seq,
        from: sender,
        from_name: sender_name,
        to: receiver,
        type: row.type,
        at: new Date(at).toISOString(),
        excerpt: row.excerpt,
      })),
      ...rest,
    });
  });
