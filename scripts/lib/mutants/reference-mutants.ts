/** Defects where earlier threads and uploads open to members who may not read them. */
import type { Mutant } from "./mutant.ts";

const CONTEXT = ["http/threads/context"];
const UPLOADS = ["mcp/uploads"];
const SUGGESTIONS = ["http/threads/suggestion-ids"];

export const REFERENCE_MUTANTS: readonly Mutant[] = [
  {
    name: "a member judges and sees suggestions in threads of others by their ids",
    file: "src/household/threads/resolve-suggestion.ts",
    find: 'requestor === actor || role === "owner";',
    replace: 'requestor !== "";',
    tests: SUGGESTIONS,
  },
  {
    name: "an executor's key of an owner sees suggestions in threads of others",
    file: "src/household/threads/resolve-suggestion.ts",
    find: 'requestor === actor || role === "owner"',
    replace: 'requestor === actor || role !== "agent"',
    tests: SUGGESTIONS,
  },
  {
    name: "an executor's key of an owner learns names of threads of others",
    file: "src/household/threads/resolve-target.ts",
    find: "mayReadThreadsOf(stores, role, requestor) ||",
    replace: 'role !== "agent" ||',
    tests: SUGGESTIONS,
  },
  {
    name: "a cancellation that names a suggestion ends its whole thread",
    file: "src/exchange/append-message.ts",
    find: 'blocks.every(({ type }) => type === "reply");',
    replace: "blocks.length > 0;",
    tests: SUGGESTIONS,
  },
  {
    name: "the id of a suggestion works only some time after it was read",
    file: "src/thread/thread-jobs.ts",
    find: 'isBehind("summarized") && spacing',
    replace: 'isBehind("summarized") && !spacing',
    tests: SUGGESTIONS,
  },
  {
    name: "the id of a suggestion in another household of the caller is unknown",
    file: "src/ingress/mcp/tools/reply.ts",
    find: '({ code }) => code === "not_found",',
    replace: "",
    tests: ["mcp/households"],
  },
  {
    name: "a suggestion that was judged is still listed as open",
    file: "src/household/threads/thread-catalog.ts",
    find: "WHERE open = 1 AND s.value ->> 2 IS NULL",
    replace: "WHERE open = 1",
    tests: SUGGESTIONS,
  },
  {
    name: "a suggestion of a cancelled thread can be accepted",
    file: "src/mess/thread/suggestions/suggestions.ts",
    find: 'if (getPartition(state.status) === "canceled") return buildFinishedError(state);',
    replace: "",
    tests: SUGGESTIONS,
  },
  {
    name: "an earlier thread stays readable after the request that refers to it has ended",
    file: "src/thread/context/context-threads.ts",
    find: "return isFinal(status) ? [] : references;",
    replace: "return references;",
    tests: CONTEXT,
  },
  {
    name: "a reader of a request gets the whole conversation of the earlier thread",
    file: "src/thread/context/read-as-context.ts",
    find: "part === undefined ? listAnswers(all) : readNamed(log, ref, part)",
    replace: "part === undefined ? all : readNamed(log, ref, part)",
    tests: CONTEXT,
  },
  {
    name: "a request may refer to a thread that its sender does not see",
    file: "src/exchange/resolve-references.ts",
    find: "return seen.ok ? ok(ref) : seen;",
    replace: "return ok(ref);",
    tests: CONTEXT,
  },
  {
    name: "a file of a referred thread opens to members who do not see the request",
    file: "src/thread/thread-object.ts",
    find: "return await this.#runAsViewer(viewer, () =>\n      findContextFile(this.env, this.#log, thread, name),\n    );",
    replace: "return await findContextFile(this.env, this.#log, thread, name);",
    tests: CONTEXT,
  },
  {
    name: "the photo of an upload link can be used by every member",
    file: "src/attachments/linked-uploads.ts",
    find: "if (maker !== actor) return undefined;",
    replace: "",
    tests: UPLOADS,
  },
  {
    name: "the copy of a linked upload in a reply does not count",
    file: "src/exchange/files/message-files.ts",
    find: "    ...uploads.map(({ size }) => size),\n",
    replace: "",
    tests: UPLOADS,
  },
  {
    name: "an upload link outlives the key with which it was made",
    file: "src/ingress/pages/upload-page.ts",
    find: "if (!link || !(await isStillLive(env, link.principal)))",
    replace: "if (!link)",
    tests: UPLOADS,
  },
];
