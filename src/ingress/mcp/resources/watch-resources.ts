/** Watches the changes of everything that a toolset offers as resources. */
import type { Principal } from "../../../auth/principal.ts";
import { watchNotices } from "../../../exchange/source-calls/watch-notices.ts";
import { watchHousehold } from "../../../exchange/watch-household.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import type { Toolset } from "../toolset.ts";
import { listChangedUris, NOTICES_URI } from "./changed-uris.ts";

/** Calls `onChange` with the URIs of changed resources until the signal is aborted, and `onEnd` if a watch ends. */
export async function watchResources(
  env: ExchangeBindings,
  principal: Principal,
  { offersRequests, offersMessages }: Pick<Toolset, "offersRequests" | "offersMessages">,
  onChange: (uris: readonly string[]) => void,
  onEnd: () => void,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all([
    ...(offersRequests
      ? [watchHousehold(env, principal, (one) => onChange(listChangedUris(one)), onEnd, signal)]
      : []),
    ...(offersMessages
      ? [watchNotices(env, principal, () => onChange([NOTICES_URI]), onEnd, signal)]
      : []),
  ]);
}
