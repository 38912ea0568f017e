/** Refusals that several callers share. */
import { refuse } from "../errors.ts";

export const refuseSourceNotFound = () =>
  refuse("not_found", "source not found", "List the sources that you may read.");

export const refuseMessageNotFound = () =>
  refuse(
    "not_found",
    "the source has no such message",
    "List the messages of the source for their ids.",
  );

export const refuseDraftNotFound = () =>
  refuse("not_found", "the source has no such draft", "List the drafts of the source.");

export const refuseDisconnected = (source: string) =>
  refuse(
    "source_disconnected",
    `the source ${source} is disconnected`,
    "Connect the source first.",
  );
