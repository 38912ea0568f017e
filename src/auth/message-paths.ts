/**
 * Paths limit a credential to message sources, and allow nothing else (decision 79): `msg` reads and marks all sources,
 * `msg/{source}` one; `msg/{source}/outbox`, or `*` in place of the source, write drafts; `msg/classify` submits verdicts. Pure.
 */
import type { SourceAccess } from "../contracts/household-sources.ts";
import { isSourceName } from "../mess/sources/vocabulary.ts";

const ROOT = "msg";
const ALL_OUTBOXES = "msg/*/outbox";
const CLASSIFY = "msg/classify";
export const MAX_MESSAGE_PATHS = 50;
/** The paths of OAuth clients that a person has connected to the resource for messages: everything but approving. */
export const CLIENT_MESSAGE_PATHS: readonly string[] = [ROOT, ALL_OUTBOXES, CLASSIFY];
/** The longest path: the name of a source has at most 32 characters. */
export const MESSAGE_PATH_CHARS = 64;

/** True for a path exactly as it is compared: no other spelling of it is accepted. */
export function isMessagePath(path: string): boolean {
  if (path === ROOT || path === ALL_OUTBOXES || path === CLASSIFY) return true;
  const [root, source, last, ...rest] = path.split("/");
  return (
    root === ROOT &&
    source !== undefined &&
    isSourceName(source) &&
    (last === undefined || last === "outbox") &&
    rest.length === 0
  );
}

/** True if the paths let their holder read the policy and rules by which all messages are classified. */
export const allowsGuidance = (paths: readonly string[]): boolean =>
  paths.includes(ROOT) || paths.includes(CLASSIFY);

/** @param source must be the name of a source; other texts are allowed nothing */
export function allowsAccess(
  paths: readonly string[],
  source: string,
  access: SourceAccess,
): boolean {
  if (!isSourceName(source)) return false;
  const canRead = paths.includes(ROOT) || paths.includes(`${ROOT}/${source}`);
  if (access === "draft")
    return paths.includes(ALL_OUTBOXES) || paths.includes(`${ROOT}/${source}/outbox`);
  return canRead && (access === "read" || paths.includes(CLASSIFY));
}
