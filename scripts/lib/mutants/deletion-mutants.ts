/** Defects of deletions: what survives, comes back, or is deleted by the wrong caller. */
import type { Mutant } from "./mutant.ts";

const DELETION = ["thread/deletion"];

export const DELETION_MUTANTS: readonly Mutant[] = [
  {
    name: "a deleted thread's files stay in R2",
    file: "src/thread/deletion.ts",
    find: "await deleteBlobs(env.BLOBS,",
    replace: "await Promise.resolve(",
    tests: DELETION,
  },
  {
    name: "a deleted thread stays in the index",
    file: "src/thread/deletion.ts",
    find: "await deleteThreadRow(env.INDEX, thread.household, thread.ref);",
    replace: "",
    tests: DELETION,
  },
  {
    name: "a deletion that is interrupted forgets the files",
    file: "src/thread/deletion.ts",
    find: "const keys = JSON.stringify(isCreated ? log.listBlobKeys() : []);",
    replace: 'const keys = "[]";',
    tests: DELETION,
  },
  {
    name: "a late summary brings a deleted thread back",
    file: "src/household/threads/record-summary.ts",
    find: "if (deletedThreads.find(ref)) return null;",
    replace: "",
    tests: DELETION,
  },
  {
    name: "an import brings a deleted thread back",
    file: "src/thread/adopt-import.ts",
    find: "if (isDeleted(tables)) return refuseDeletedThread();",
    replace: "",
    tests: DELETION,
  },
  {
    name: "members without an offer learn that a thread was deleted",
    file: "src/thread/deletion.ts",
    find: 'return role === "owner" || isReader || members.includes(actor)',
    replace: "return members.length > 0",
    tests: DELETION,
  },
  {
    name: "the bytes of a deleted file stay in R2",
    file: "src/thread/files/delete-file.ts",
    find: 'if ("key" in file) log.effects.add({ type: "deleteBlob", key: file.key });',
    replace: "",
    tests: DELETION,
  },
  {
    name: "the text with which a thread is read still shows a deleted file",
    file: "src/thread/files/delete-file.ts",
    find: "writeStoredYaml([changed,",
    replace: "writeStoredYaml([JSON.parse(row.document) as MessageDocument,",
    tests: DELETION,
  },
  {
    name: "another file than the deleted one loses its data",
    file: "src/mess/messe-af/remove-file.ts",
    find: "inlineBefore++ === file.inline;",
    replace: "inlineBefore++ === 0;",
    tests: DELETION,
  },
  {
    name: "a member who is not an owner deletes a file",
    file: "src/thread/files/delete-file.ts",
    find: 'if (viewer.role !== "owner")',
    replace: 'if (viewer.role === "executor" && viewer.actor === "")',
    tests: DELETION,
  },
  {
    name: "a requestor deletes a thread",
    file: "src/ingress/http/resources/threads/threads.ts",
    find: 'return seen.ok ? refuse("wrong_role", "only owners delete a thread", "Ask an owner.") : seen;',
    replace: "return seen;",
    tests: DELETION,
  },
];
