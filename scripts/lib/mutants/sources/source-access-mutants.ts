/** Defects of the household's part of message sources: who may use them, and what is sent to owners. */
import type { Mutant } from "../mutant.ts";

const LIMITED_KEYS = ["auth/limited-keys"];
const PATHS = ["unit/auth/message-paths"];
const ACCESS = ["household/sources/access"];
const REGISTER = ["household/sources/register"];
const GUIDANCE = ["household/sources/guidance"];
const NOTICES = ["household/sources/notices"];
const DIGEST = ["household/sources/digest"];

export const SOURCE_ACCESS_MUTANTS: readonly Mutant[] = [
  {
    name: "message sources: a limited key is admitted everywhere",
    file: "src/auth/authenticate.ts",
    find: 'paths === undefined || use === "messages"',
    replace: 'paths !== undefined || use === "messages" || true',
    tests: LIMITED_KEYS,
  },
  {
    name: "message sources: a cached key loses its paths",
    file: "src/auth/api-keys.ts",
    find: "...defined({ paths, readsAll:",
    replace: "...defined({ paths: paths && undefined, readsAll:",
    tests: LIMITED_KEYS,
  },
  {
    name: "message sources: a path opens every source whose name begins like it",
    file: "src/auth/message-paths.ts",
    find: "paths.includes(ROOT) || paths.includes(`${ROOT}/${source}`);",
    replace: "paths.includes(ROOT) || paths.some((one) => `${ROOT}/${source}`.startsWith(one));",
    tests: [...PATHS, ...ACCESS],
  },
  {
    name: "message sources: a path to classify reads nothing and classifies everything",
    file: "src/auth/message-paths.ts",
    find: 'return canRead && (access === "read" || paths.includes(CLASSIFY));',
    replace: 'return access === "read" ? canRead : paths.includes(CLASSIFY);',
    tests: PATHS,
  },
  {
    name: "message sources: a client of any person reads them",
    file: "src/household/message-sources/source-access.ts",
    find: 'stores.grants.getPersonRole(credential.slice("grant:".length)) === "owner"',
    replace: 'stores.grants.getPersonRole(credential.slice("grant:".length)) !== undefined',
    tests: ACCESS,
  },
  {
    name: "message sources: a revoked key still opens them",
    file: "src/household/message-sources/source-access.ts",
    find: "if (!isLive(stores, credential, now)) return refuseUnauthenticated();",
    replace: "",
    tests: ACCESS,
  },
  {
    name: "message sources: an owner's limited key registers and removes them",
    file: "src/household/message-sources/source-access.ts",
    find: 'return principal.role === "owner" && principal.paths === undefined',
    replace: 'return principal.role === "owner"',
    tests: REGISTER,
  },
  {
    name: "message sources: a source with a lost secret is opened without it",
    file: "src/household/message-sources/open-settings.ts",
    find: "if (names.some((name) => !known.has(name))) return undefined;",
    replace: "",
    tests: [...REGISTER, ...GUIDANCE],
  },
  {
    name: "message sources: a message interrupts again when it is classified again",
    file: "src/household/message-sources/notice-table.ts",
    find: 'if (before?.tier === "NOTIFY") return undefined;',
    replace: "",
    tests: NOTICES,
  },
  {
    name: "message sources: a notice wakes those who may not read its source",
    file: "src/household/message-sources/notice-waits.ts",
    find: 'if (canAccess(viewer, source, "read")) wake(socket, seq);',
    replace: "wake(socket, seq);",
    tests: NOTICES,
  },
  {
    name: "message sources: a wait outlives its key",
    file: "src/household/household-context.ts",
    find: "closeNoticeWaits(this.#ctx, isActive);",
    replace: "closeNoticeWaits(this.#ctx, () => true);",
    tests: NOTICES,
  },
  {
    name: "message sources: a digest lists the messages of the one before",
    file: "src/household/message-sources/open-digest.ts",
    find: "messageNotices.clearPending();",
    replace: "",
    tests: DIGEST,
  },
  {
    name: "members of an open household read a request about the owner's mail",
    file: "src/thread/visibility.ts",
    find: "!isSourceRequestor(state.requestor)",
    replace: "state.requestor.length > 0",
    tests: ["sources/open-household"],
  },
  {
    name: "lists of an open household contain requests about the owner's mail",
    file: "src/exchange/lists/reader-filter.ts",
    find: "readsAll ? { reader: actor }",
    replace: "readsAll ? {}",
    tests: ["sources/open-household"],
  },
  {
    name: "targets and changes of an open household name requests about the owner's mail",
    file: "src/mess/sources/request-origin.ts",
    find: "requestor.startsWith(SOURCE_REQUESTOR_PREFIX)",
    replace: "requestor === SOURCE_REQUESTOR_PREFIX",
    tests: ["sources/open-household"],
  },
  {
    name: "events of an open household name requests about the owner's mail",
    file: "src/household/threads/thread-catalog.ts",
    find: "AND NOT ${buildSourceRequestorSql(requestor)}))`",
    replace: "AND ${requestor} <> ''))`",
    tests: ["sources/open-household"],
  },
];
