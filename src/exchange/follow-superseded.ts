/** Finds the thread that replaced another by joining, merging or splitting. */
import type { Principal } from "../auth/principal.ts";
import type { ResourceView } from "../contracts/thread.ts";
import { withThread, type ExchangeBindings } from "./with-thread.ts";

/** Maximum of replacements to follow: a merged thread may be split again. */
const MAX_STEPS = 4;

/** Returns the thread that continues this one, if the viewer may see it; undefined where there is none. */
export async function followSuperseded(
  env: ExchangeBindings,
  viewer: Principal,
  { envelope }: Pick<ResourceView, "envelope">,
): Promise<ResourceView | undefined> {
  let found: ResourceView | undefined;
  let next = envelope.superseded_by;
  for (let step = 0; step < MAX_STEPS && next !== undefined; step++) {
    const read = await withThread(env, viewer, next, undefined, ({ stub }) =>
      stub.readResources(viewer),
    );
    if (!read.ok) break;
    found = read.value;
    next = found.envelope.superseded_by;
  }
  return found;
}
