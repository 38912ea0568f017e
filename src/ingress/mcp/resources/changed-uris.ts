/** The resources that change with a thread. */
import type { ThreadChange } from "../../../contracts/events.ts";
import { LIMITS } from "../../../mess/limits.ts";

/** Resources whose changes are reported, beside those of single threads. */
export const CHANGING_LISTS = ["mess://pending", "mess://history"];

/** The notices of message sources; no source can have the name. */
export const NOTICES_URI = "msg://notices";

/** URIs of the resources that a change of the thread affects. */
export function listChangedUris({ ref, client_id }: ThreadChange): string[] {
  return [
    `thread://${ref}`,
    `thread://${ref}/envelope`,
    `thread://${ref}/latest`,
    `mess://request/${ref}`,
    ...(client_id === null ? [] : [`mess://request/${client_id}`]),
    ...CHANGING_LISTS,
  ];
}

/** The ref or id of the thread whose changes affect the resource; undefined if it is no part of a thread. */
export function findThreadOfUri(uri: string): string | undefined {
  if (uri.length > LIMITS.urlChars) return undefined;
  const [, target] =
    /^(?:thread:\/\/([^/?#]{1,260})(?:\/envelope|\/latest)?|mess:\/\/request\/([^/?#]{1,260}))$/
      .exec(uri)
      ?.filter((part) => part !== undefined) ?? [];
  return target;
}
