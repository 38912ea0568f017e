/** The files that approved drafts will send. They stay although the message that they forward was deleted. */
import type { SourceStore } from "../tables/source-store.ts";

const MAX_DRAFTS = 1_000;

/** Their keys in R2. */
export const listApprovedKeys = ({ drafts }: SourceStore): string[] =>
  drafts
    .list("approved", Number.MAX_SAFE_INTEGER, MAX_DRAFTS)
    .flatMap(({ seq, life }) => drafts.getRevision(seq, life.revision).content.attachments)
    .map(({ key }) => key);
