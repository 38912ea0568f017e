/** `/groups/search`: messages of AI groups by text, time, member and type. */
import * as z from "zod";
import { searchGroupMessages } from "../../../../exchange/group-calls/search-groups.ts";
import { defined } from "../../../../mess/defined.ts";
import { groupIdFieldSchema } from "../../../../mess/groups/fields.ts";
import { GROUP_LIMITS, GROUP_MESSAGE_TYPES } from "../../../../mess/groups/vocabulary.ts";
import { buildBody } from "../../build-body.ts";
import { listCursor, numberSchema, shortTextSchema, timeSchema } from "../../parameters.ts";
import {
  type HandlerPromise,
  type HttpCall,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";

const searchQuerySchema = z.strictObject({
  q: shortTextSchema.exactOptional(),
  since: timeSchema.exactOptional(),
  until: timeSchema.exactOptional(),
  member: groupIdFieldSchema.exactOptional(),
  type: z.enum(GROUP_MESSAGE_TYPES).exactOptional(),
  group: groupIdFieldSchema.exactOptional(),
  limit: numberSchema(1, GROUP_LIMITS.pageMessages).default(GROUP_LIMITS.defaultPageMessages),
  cursor: listCursor,
});

async function handleSearch(call: HttpCall<z.output<typeof searchQuerySchema>>): HandlerPromise {
  const { env, principal, query } = call;
  const { q: text, since: from, until: to, group: group_id, ...rest } = query;
  const search = { ...rest, ...defined({ text, from, to, group_id }) };
  return buildBody(await searchGroupMessages(env, principal, search));
}

export const groupSearchRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "get",
    path: "/groups/search",
    access: "member",
    summary: "Search the messages of AI groups, newest first",
    description:
      "In the caller's channels; for owners, in all. q: all words must occur, the last one also as the beginning of a word. member: sent or received the message. Messages of closed groups are found, too.",
    query: searchQuerySchema,
    handle: handleSearch,
  }),
];
