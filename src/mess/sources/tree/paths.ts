/**
 * The structure of the message tree: its paths, what they name, and the names in each folder. Pure, so that every
 * protocol that shows the tree has the same one.
 */
import { parseSourceSeq } from "../ids.ts";
import { isSourceName } from "../vocabulary.ts";

/** Paths of folders end in a slash. */
export const TREE_PATHS = {
  root: "/msg/",
  sources: "/msg/sources",
  ctl: "/msg/ctl",
  notify: "/msg/notify",
  source: "/msg/{source}/",
  sourceStatus: "/msg/{source}/status",
  sourceCtl: "/msg/{source}/ctl",
  sourceNew: "/msg/{source}/new",
  outbox: "/msg/{source}/outbox/",
  outboxNew: "/msg/{source}/outbox/new",
  draft: "/msg/{source}/outbox/{id}/",
  draftHeaders: "/msg/{source}/outbox/{id}/headers",
  draftBody: "/msg/{source}/outbox/{id}/body",
  draftCtl: "/msg/{source}/outbox/{id}/ctl",
  message: "/msg/{source}/{id}/",
  messageHeaders: "/msg/{source}/{id}/headers",
  messageBody: "/msg/{source}/{id}/body",
  messageRaw: "/msg/{source}/{id}/raw",
  messageStatus: "/msg/{source}/{id}/status",
  messageCtl: "/msg/{source}/{id}/ctl",
} as const;

export type TreeNodeType = keyof typeof TREE_PATHS;

/** A file or folder of the tree. Whether its source, message or draft exists is another question. */
export interface TreeNode {
  type: TreeNodeType;
  /** Empty in the files that belong to no source. */
  source: string;
  /** Id of the message or draft; empty elsewhere. */
  id: string;
}

/** Files of a message and of a draft. */
export const MESSAGE_FILES = ["headers", "body", "raw", "status", "ctl"] as const;
export const DRAFT_FILES = ["headers", "body", "ctl"] as const;

/** Undefined for names that no source, message or draft can have. */
export function buildTreeNode(
  type: TreeNodeType,
  source: string,
  id: string,
): TreeNode | undefined {
  const template: string = TREE_PATHS[type];
  const hasSource = template.includes("{source}");
  if (hasSource ? !isSourceName(source) : source !== "") return undefined;
  const prefix = type.startsWith("draft") ? "d" : "m";
  const isId = template.includes("{id}") ? parseSourceSeq(prefix, id) !== undefined : id === "";
  return isId ? { type, source, id } : undefined;
}

export const writeTreePath = ({ type, source, id }: TreeNode): string =>
  TREE_PATHS[type].replace("{source}", source).replace("{id}", id);

const PATTERNS = Object.entries(TREE_PATHS).map(([type, template]) => ({
  type: type as TreeNodeType,
  pattern: new RegExp(
    `^${template.replace("{source}", "(?<source>[a-z0-9-]{1,32})").replace("{id}", "(?<id>[a-z0-9_]{1,32})")}$`,
  ),
}));

/** The longest path has a name of 32 characters and an id of 22. */
const MAX_PATH_CHARS = 100;

/** @param path as it is written: another spelling of a path names nothing */
export function parseTreePath(path: string): TreeNode | undefined {
  if (path.length > MAX_PATH_CHARS) return undefined;
  for (const { type, pattern } of PATTERNS) {
    const groups = pattern.exec(path)?.groups;
    const node =
      pattern.test(path) && buildTreeNode(type, groups?.["source"] ?? "", groups?.["id"] ?? "");
    if (node) return node;
  }
  return undefined;
}

export const isTreePath = (path: string): boolean => path === "/msg" || path.startsWith("/msg/");

/** The access of a caller to a source. */
interface TreeAccess {
  read: boolean;
  draft: boolean;
}

/** The names in the root, without those of the sources. */
export const listRootNames = (caller: { reads: boolean; configures: boolean }): string[] => [
  "sources",
  ...(caller.configures ? ["ctl"] : []),
  ...(caller.reads ? ["notify"] : []),
];

/** The names in the folder of a source, without those of its messages. */
export const listSourceNames = ({ read, draft }: TreeAccess): string[] => [
  ...(read ? ["status", "ctl", "new"] : []),
  ...(draft ? ["outbox/"] : []),
];
