/** Where a thread goes on that was replaced: joined, merged or split. */
import type { Principal } from "../auth/principal.ts";
import type { ThreadView } from "../contracts/thread.ts";
import { withThread, type ExchangeBindings } from "./with-thread.ts";

/** Replacements that are followed: a merged thread may be split again. */
const MAX_STEPS = 4;

/** The thread that goes on in place of this one, whole, where the viewer may see it; undefined where none does. */
export async function followSuperseded(
  env: ExchangeBindings,
  viewer: Principal,
  { envelope }: ThreadView,
): Promise<ThreadView | undefined> {
  let found: ThreadView | undefined;
  let next = envelope.superseded_by;
  for (let step = 0; step < MAX_STEPS && next !== undefined; step++) {
    const read = await withThread(env, viewer, next, undefined, ({ stub }) =>
      stub.readThread(viewer),
    );
    if (!read.ok) break;
    found = read.value;
    next = found.envelope.superseded_by;
  }
  return found;
}
