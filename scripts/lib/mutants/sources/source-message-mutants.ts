/** Defects of the messages of sources, which would break silently. */
import type { Mutant } from "../mutant.ts";

const HTTP = ["sources/http"];

export const SOURCE_MESSAGE_MUTANTS: readonly Mutant[] = [
  {
    name: "source messages: a key that is limited to a path deletes messages",
    file: "src/exchange/source-calls/source-messages.ts",
    find: 'principal.role === "owner" && principal.paths === undefined',
    replace: "principal.credential !== undefined",
    tests: HTTP,
  },
  {
    name: "source messages: a search names a source that the caller may not read",
    file: "src/exchange/source-calls/search-messages.ts",
    find: 'await household.authorize(principal, source, "read");',
    replace: "await household.list(principal);",
    tests: HTTP,
  },
  {
    name: "source messages: a search finds messages of all sources",
    file: "src/partitions/source-messages.ts",
    find: 'const parts = [`(${sources.map((source) => quote("source", source)).join(" OR ")})`];',
    replace: 'const parts: string[] = [quote("status", "new")];',
    tests: ["partitions/source-messages"],
  },
  {
    name: "source messages: a wait outlives the access of its caller",
    file: "src/exchange/source-calls/wait-for-message.ts",
    find: "return await listAfter(after);",
    replace: "return first;",
    tests: HTTP,
  },
  {
    name: "source messages: the cleanup deletes the files of messages",
    file: "src/household/jobs/blob-cleanup.ts",
    find: "for (const key of await listReferencedBySources(env, stores, start)) referenced.add(key);",
    replace: "await listReferencedBySources(env, stores, start);",
    tests: HTTP,
  },
  {
    name: "source messages: the files of a deleted message stay",
    file: "src/sources/messages/delete-messages.ts",
    find: "  addDeletion(store, keys, now);",
    replace: "  addDeletion(store, keys.slice(0, 0), now);",
    tests: ["sources/messages"],
  },
  {
    name: "source messages: files of messages are not counted",
    file: "src/attachments/receive-parsed.ts",
    find: "bytes === 0 ? ok(true)",
    replace: "bytes >= 0 ? ok(true)",
    tests: HTTP,
  },
  {
    name: "source messages: a deleted message that nobody saw counts as unseen",
    file: "src/sources/tables/message-changes.ts",
    find: "unseen: row.seen - 1,",
    replace: "unseen: 0,",
    tests: ["sources/messages", "sources/random-course"],
  },
  {
    name: "source messages: a deleted message is found",
    file: "src/sources/messages/index-messages.ts",
    find: "(message ? [] : [seq])",
    replace: "(message ? [] : [seq - seq])",
    tests: ["sources/index-messages"],
  },
  {
    name: "source messages: a message is stored again although its id is known",
    file: "src/sources/messages/receive-messages.ts",
    find: "const stored = store.messages.findByExternalId(message.external_id);",
    replace: "const stored = store.messages.findByExternalId(`${message.external_id}${now}`);",
    tests: ["sources/messages"],
  },
  {
    name: "inbox: a source without further messages is listed on every page again",
    file: "src/exchange/source-calls/list-inbox-messages.ts",
    find: "!after || name in after ? [name] : []",
    replace: "[name]",
    tests: ["inbox/messages"],
  },
  {
    name: "inbox: a member who is no owner is shown an error in place of nothing",
    file: "src/ingress/pages/inbox/messages.ts",
    find: 'people.value.filter(({ role }) => role === "owner")',
    replace: "people.value",
    tests: ["inbox/messages"],
  },
];
