/** The job of a group that writes its new messages to the index in D1. */
import { type DerivedJob, DerivedJobs } from "../object/derived-jobs.ts";
import { exponential } from "../object/retry.ts";
import { withTimeout } from "../object/with-timeout.ts";
import { indexGroupMessages } from "../partitions/group-messages.ts";
import type { GroupStore } from "./tables/group-store.ts";

/** Messages of one statement batch. */
const MAX_BATCH_MESSAGES = 50;
/** Before a batch is sent, so that the messages of a burst share one. */
const SPACING_MS = 250;
const D1_TIMEOUT_MS = 10_000;
const D1_RETRY = exponential(1_000, 60_000);

export function createIndexJobs(
  env: Pick<Env, "INDEX">,
  store: GroupStore,
): DerivedJobs<"indexed"> {
  const indexed: DerivedJob = {
    isNeeded: () =>
      store.roster.read() !== undefined &&
      store.roster.getIndexedSeq() < store.messages.getNewestSeq(),
    run: async () => {
      await scheduler.wait(SPACING_MS);
      const { household, id: group_id } = store.roster.get();
      const stored = store.messages.list(store.roster.getIndexedSeq(), MAX_BATCH_MESSAGES);
      const messages = stored.map(({ seq, id, sender, receiver, type, at, content }) => ({
        household,
        group_id,
        seq,
        id,
        from: sender,
        from_name: store.roster.show(sender).name,
        to: receiver,
        type,
        at,
        content,
      }));
      await withTimeout(D1_TIMEOUT_MS, indexGroupMessages(env.INDEX, messages));
      const last = stored.at(-1);
      if (last) store.roster.setIndexedSeq(last.seq);
    },
  };
  return new DerivedJobs({ indexed }, D1_RETRY);
}
