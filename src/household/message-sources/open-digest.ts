/**
 * Opens the request that lists the messages that could wait, once or twice a day. One transaction opens the thread,
 * adds the job that creates it, and empties the list, so that a crash repeats nothing.
 */
import { buildSourceRequestor } from "../../mess/sources/request-origin.ts";
import { logDefect } from "../../log.ts";
import { buildDigest } from "../../mess/sources/digest.ts";
import { buildOpenedRoute, openThreads } from "../threads/open-threads.ts";
import type { Stores } from "../stores.ts";
import { getNextDigest } from "./digest-times.ts";

/** Not the id of a member, and of no source either. */
const DIGEST_ACTOR = buildSourceRequestor("digest");
/** Delay before a digest is tried again that could not be opened. */
const RETRY_MS = 3_600_000;

export function openDueDigest(
  storage: Pick<DurableObjectStorage, "transactionSync">,
  stores: Stores,
  now: number,
): void {
  if ((getNextDigest(stores) ?? Infinity) > now) return;
  try {
    storage.transactionSync(() => openDigest(stores, now));
  } catch (error) {
    logDefect(error, { object: "household", while: "opening a digest" });
    stores.settings.set("digest_after", now + RETRY_MS);
  }
}

function openDigest(stores: Stores, now: number): void {
  const { jobs, messageNotices, messageSources, settings } = stores;
  const titles = new Map(messageSources.list().map(({ name, title }) => [name, title ?? name]));
  const request = buildDigest(messageNotices.listPending(), titles);
  // Keys of calls contain no spaces, so no caller can use this key first.
  const key = `digest ${now}`;
  const opened = openThreads(
    stores,
    {
      actor: DIGEST_ACTOR,
      role: "agent",
      key,
      owner: true,
      requests: [{ request, digest: key }],
    },
    now,
  );
  const [thread] = opened.ok ? opened.value : [];
  if (!thread) {
    settings.set("digest_after", now + RETRY_MS);
    return;
  }
  jobs.add(
    "create",
    thread.ref,
    {
      ref: thread.ref,
      input: {
        household: settings.getHousehold().id,
        ref: thread.ref,
        zone: settings.getZone(),
        requestor: DIGEST_ACTOR,
        channel: "source",
        message: { blocks: [{ type: "request", body: request }] },
        blobs: [],
        digest: key,
        ...buildOpenedRoute(stores, thread.route, DIGEST_ACTOR, true),
      },
    },
    now,
  );
  messageNotices.clearPending();
}
