/** Finds the thread that replaced another by joining, merging or splitting. */
import type { Principal } from "../auth/principal.ts";
import type { ResourceView } from "../contracts/thread-views.ts";
import { EXCHANGE } from "../mess/thread/policy.ts";
import type { Envelope } from "../mess/envelope.ts";
import { withThread, type ExchangeBindings } from "./with-thread.ts";

/** Maximum number of replacements to follow: a merged thread may be split again. */
const MAX_STEPS = 4;

const SPLIT_NOTE_PREFIX = "split into ";

/** The refs of the threads into which the thread was split, from the exchange's own history; empty otherwise. */
export function listSplitParts({ history }: Pick<Envelope, "history">): string[] {
  const split = history.findLast(
    ({ action, by, note }) =>
      action === "superseded" && by === EXCHANGE && note?.startsWith(SPLIT_NOTE_PREFIX),
  );
  return split?.note?.slice(SPLIT_NOTE_PREFIX.length).split(", ") ?? [];
}

/** The one thread that continues this one; a split thread is continued by several. */
const getReplacement = (envelope: Envelope): string | undefined =>
  listSplitParts(envelope).length > 1 ? undefined : envelope.superseded_by;

/** Returns the thread that continues this one, if the viewer may see it; undefined where there is none. */
export async function followSuperseded(
  env: ExchangeBindings,
  viewer: Principal,
  { envelope }: Pick<ResourceView, "envelope">,
): Promise<ResourceView | undefined> {
  let found: ResourceView | undefined;
  let next = getReplacement(envelope);
  for (let step = 0; step < MAX_STEPS && next !== undefined; step++) {
    const read = await withThread(env, viewer, next, undefined, ({ stub }) =>
      stub.readResources(viewer),
    );
    if (!read.ok) break;
    found = read.value;
    next = getReplacement(found.envelope);
  }
  return found;
}
