/** Resolves the id of a suggestion, which a reply may use as its target (decision 74). */
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { Stores } from "../stores.ts";
import type { Viewer } from "../identity/effective-role.ts";

const PREFIX = "sug:";
const MAX_LISTED = 10;

const removePrefix = (id: string): string => (id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id);

const toTarget = ({ ref, name }: { ref: string; name: string }): string => `${ref}/${name}`;

/**
 * Returns `{thread}/{message}` of the open suggestion with this id, else of the newest that was open, since a verdict
 * may be repeated. It is searched among the actor's own threads, and for an owner's credential also among those of
 * others.
 */
export function resolveSuggestion(
  { threadCatalog }: Pick<Stores, "threadCatalog">,
  { actor, role }: Viewer,
  target: string,
): Outcome<string> {
  const isVisible = ({ requestor }: { requestor: string }) =>
    requestor === actor || role === "owner";
  const hasName = ({ id }: { id: string }) => removePrefix(id) === removePrefix(target);
  const open = threadCatalog.listOpenSuggestions().filter(isVisible);
  const named = open.filter(hasName);
  const own = named.filter(({ requestor }) => requestor === actor);
  const [found, ...others] = own.length > 0 ? own : named;
  if (found === undefined) {
    const closed = threadCatalog.listNewestSuggestions().filter(isVisible).find(hasName);
    if (closed) return ok(toTarget(closed));
    const valid = [...new Set(open.map(({ id }) => id))].slice(0, MAX_LISTED);
    return valid.length === 0
      ? refuse(
          "not_found",
          "no thread has this name, and no suggestion is open",
          "Use the ref of the thread from the ack.",
        )
      : refuse(
          "not_found",
          "no thread and no open suggestion has this name",
          "Use the ref of the thread, or the id of an open suggestion, which valid lists.",
          { valid },
        );
  }
  if (others.length === 0) return ok(toTarget(found));
  return refuse(
    "ambiguous_ref",
    "several open suggestions have this id",
    "Set re to the ref of one of them.",
    { valid: [found, ...others].slice(0, MAX_LISTED).map(toTarget) },
  );
}
